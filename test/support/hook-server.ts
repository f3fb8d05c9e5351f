// A server for webhooks in this process, which answers as it is told.
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.js';

export interface HookRequest {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface HookAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HookServer {
  readonly url: string;
  readonly requests: HookRequest[];
}

/** Answers request by request; the last answer is for all that follow. `silent` never answers. */
export async function startHook(
  answers: readonly (HookAnswer | 'silent' | 'cut')[] = [{ status: 200, body: 'ok' }],
  { isTls = false, onRequest }: { readonly isTls?: boolean; readonly onRequest?: () => void } = {},
): Promise<HookServer> {
  const requests: HookRequest[] = [];
  const take: http.RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() });
      onRequest?.();
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === 'cut') request.socket.destroy();
      else if (answer !== undefined && answer !== 'silent')
        response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    });
  };
  const server = isTls ? https.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, take) : http.createServer(take);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`, requests };
}

// A server before another one, whose clock goes ahead of that of this computer: it refuses requests that are signed for another time, as
// stores do.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const MOST_MS = 15 * 60_000;

export interface SkewedServer {
  readonly endpoint: string;
  /** Number of requests that were refused. */
  refused: number;
  passed: number;
}

/** Starts it; it is closed when the test has ended. */
export async function startSkewedServer(target: string, aheadMs: number): Promise<SkewedServer> {
  const server = http.createServer((request, response) => {
    const date = new Date(Date.now() + aheadMs);
    const [, day, time] = /^(\d{8})T(\d{6})Z$/.exec(String(request.headers['x-amz-date'])) ?? [];
    const parts = (text = '', cuts: readonly number[]): string[] =>
      cuts.map((cut, at) => text.slice(cut, cuts[at + 1]));
    const signed = Date.parse(`${parts(day, [0, 4, 6]).join('-')}T${parts(time, [0, 2, 4]).join(':')}Z`);
    if (Math.abs(signed - date.getTime()) > MOST_MS) {
      skewed.refused++;
      request.resume();
      response.writeHead(403, { date: date.toUTCString(), 'content-type': 'application/xml' });
      response.end(
        request.method === 'HEAD' ? '' : '<Error><Code>RequestTimeTooSkewed</Code><Message>too far</Message></Error>',
      );
      return;
    }
    skewed.passed++;
    const { method, url, headers } = request;
    const onward = http.request(new URL(url ?? '/', target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, date: date.toUTCString() });
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const skewed: SkewedServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: 0,
    passed: 0,
  };
  return skewed;
}

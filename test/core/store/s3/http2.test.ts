// HTTP/2 with a server that offers it, HTTP/1.1 with one that does not.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { S3HttpHandler, type HttpHandlerOptions } from '../../../../src/core/store/s3/s3-http-handler.js';
import { tempFolder } from '../../../support/temp-folder.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('left out: HTTP/2 (needs openssl for a certificate)\n');
const TIMEOUTS = { connectMs: 2000, idleMs: 500, answerMs: 500 };

let before: string | undefined;
beforeAll(() => {
  before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'; // the certificate is our own
});
afterAll(() => {
  if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
});

async function certificate(): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = await tempFolder();
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', [...args, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

type Answer = (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void;

async function http2Server(answer: Answer, settings: http2.Settings = {}) {
  const server = http2.createSecureServer({ ...(await certificate()), settings });
  const sockets = new Set<Socket>();
  const sessions: http2.ServerHttp2Session[] = [];
  server.on('secureConnection', (socket: Socket) => void sockets.add(socket));
  server.on('session', (session) => void sessions.push(session));
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    answer(stream, headers);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, sockets, sessions };
}

function handlerFor(options: Partial<HttpHandlerOptions> = {}): S3HttpHandler {
  const handler = new S3HttpHandler({ maxSockets: 8, timeouts: TIMEOUTS, http2: { maxStreams: 250 }, ...options });
  onTestFinished(() => handler.destroy());
  return handler;
}

interface Ask {
  readonly method?: string;
  readonly body?: Buffer;
  readonly abortSignal?: AbortSignal;
}

async function ask(handler: S3HttpHandler, port: number, { method = 'GET', body, abortSignal }: Ask = {}) {
  const { response } = await handler.handle(
    {
      protocol: 'https:',
      hostname: '127.0.0.1',
      port,
      method,
      path: '/bucket/a%20b',
      query: { 'x-id': 'PutObject' },
      headers: { Host: `127.0.0.1:${port}`, 'X-Amz-Date': 'd', Expect: '100-continue' },
      body,
    },
    abortSignal === undefined ? {} : { abortSignal },
  );
  const pieces: Buffer[] = [];
  for await (const piece of response.body) pieces.push(piece as Buffer);
  return { ...response, text: Buffer.concat(pieces).toString('latin1') };
}

describe.skipIf(!hasOpenssl)('HTTP/2', () => {
  test('requests share one connection, and say what they said over HTTP/1.1', async () => {
    const seen: http2.IncomingHttpHeaders[] = [];
    const { port, sockets } = await http2Server((stream, headers) => {
      seen.push(headers);
      let length = 0;
      stream.on('data', (piece: Buffer) => (length += piece.length));
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'x-a': 'b' });
        stream.end(String(length));
      });
    });
    const handler = handlerFor();

    const body = Buffer.alloc(5_000_000, 7);
    const answers = await Promise.all([
      ask(handler, port, { method: 'PUT', body }),
      ask(handler, port),
      ask(handler, port),
    ]);
    await ask(handler, port);

    expect(answers.map(({ text }) => text)).toEqual(['5000000', '0', '0']);
    expect(answers[0]).toMatchObject({ statusCode: 200, headers: { 'x-a': 'b' } });
    expect(seen[0]).toMatchObject({
      ':path': '/bucket/a%20b?x-id=PutObject',
      ':authority': `127.0.0.1:${port}`,
      'x-amz-date': 'd',
    });
    expect(seen.every((headers) => headers.expect === undefined)).toBe(true);
    // The first ones find out at the same time what the server speaks.
    expect(sockets.size).toBe(1);
  });

  test('no more requests at once than allowed', async () => {
    let [now, most] = [0, 0];
    const { port } = await http2Server((stream) => {
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        stream.respond({ ':status': 200 });
        stream.end();
      }, 50);
    });
    const handler = handlerFor({ http2: { maxStreams: 3 } });

    await Promise.all(Array.from({ length: 10 }, () => ask(handler, port)));

    expect(most).toBe(3);
  });

  test('a server that speaks HTTP/1.1 only is spoken to like that', async () => {
    const versions: string[] = [];
    const server = https.createServer(await certificate(), (request, response) => {
      versions.push(request.httpVersion);
      response.end('old');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const handler = handlerFor();
    const { port } = server.address() as AddressInfo;

    expect((await ask(handler, port)).text).toBe('old');
    expect((await ask(handler, port)).text).toBe('old');
    expect(versions).toEqual(['1.1', '1.1']);
  });

  test('a server that offers both is spoken to in HTTP/1.1 when HTTP/2 is not asked for', async () => {
    const { key, cert } = await certificate();
    const versions: string[] = [];
    const server = http2.createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      response.end();
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;

    await ask(handlerFor({ http2: undefined }), port);
    await ask(handlerFor(), port);

    expect(versions).toEqual(['1.1', '2.0']);
  });

  test('a server that does not answer is given up', async () => {
    const { port } = await http2Server(() => undefined);

    await expect(ask(handlerFor(), port)).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: expect.stringContaining('did not answer within 0.5 s'),
    });
  });

  test('an answer that stands still is given up', async () => {
    const { port } = await http2Server((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('half');
    });

    await expect(ask(handlerFor(), port)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  test('a request that was refused or cut counts as a reset, and the next one gets a new connection', async () => {
    let requests = 0;
    const { port, sessions } = await http2Server((stream) => {
      requests++;
      if (requests === 1) sessions[0]?.destroy();
      else if (requests === 2) stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
      else stream.respond({ ':status': 204 }, { endStream: true });
    });
    const handler = handlerFor();

    await expect(ask(handler, port)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(ask(handler, port)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await ask(handler, port)).statusCode).toBe(204);
    expect(sessions).toHaveLength(2);
  });

  test('an interruption ends the request', async () => {
    const controller = new AbortController();
    const { port } = await http2Server(() => controller.abort());

    await expect(ask(handlerFor(), port, { abortSignal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('a server that is not there is told as ever', async () => {
    await expect(ask(handlerFor(), 1)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

// Ranged GETs whose bytes are received into memory of the caller, against servers that answer whatever a test says.
import { randomBytes } from 'node:crypto';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpHandlerOptions, S3HttpHandler } from '../../../../src/core/store/s3/s3-http-handler.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../support/test-certificate.js';
import { tunnelTo } from '../../../support/tunnel-to.js';

/** Sends the answer to the nth request of the server, over its nth connection. */
type Answer = (socket: Socket, request: number, connection: number) => void;

async function serverOf(answer: Answer, isTls = false) {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  let connections = 0;
  const onConnection = (socket: Socket): void => {
    const connection = ++connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        heads.push(text.slice(0, end));
        text = text.slice(end + 4);
        answer(socket, heads.length, connection);
      }
    });
  };
  const server = isTls
    ? tls.createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, onConnection)
    : net.createServer(onConnection);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, sockets, heads, connections: () => connections };
}

const TIMEOUTS = { connectMs: 5000, idleMs: 5000, answerMs: 5000 };

function handlerOf(options: Partial<HttpHandlerOptions> = {}): S3HttpHandler {
  const handler = new S3HttpHandler({ maxSockets: 8, timeouts: TIMEOUTS, ...options });
  onTestFinished(() => handler.destroy());
  return handler;
}

const BODY = '0123456789';

const memoryOf = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

interface Asked {
  readonly port: number;
  readonly hostname?: string;
  readonly protocol?: string;
  readonly memory?: Buffer;
  readonly abortSignal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

/** Asks for a range into `memory` (none: only into a stream). */
async function ask(
  handler: S3HttpHandler,
  { port, hostname = '127.0.0.1', protocol = 'http:', memory, abortSignal, headers }: Asked,
) {
  const sizes: number[] = [];
  const into = (sizeBytes: number): Buffer | undefined => {
    sizes.push(sizeBytes);
    return sizeBytes === memory?.byteLength ? memory : undefined;
  };
  const request = {
    protocol,
    hostname,
    port,
    method: 'GET',
    path: '/b/k',
    query: { 'x-id': 'GetObject' },
  };
  const { response } = await handler.handle(
    { ...request, headers: { host: `127.0.0.1:${port}`, range: 'bytes=0-9', ...headers } },
    { into, ...(abortSignal && { abortSignal }) },
  );
  return { response, sizes };
}

/** All bytes of a body, and whether each piece lay in `memory` already. */
async function read(body: Readable, memory?: Buffer) {
  const pieces: Buffer[] = [];
  let [bytes, isView] = [0, true];
  body.on('data', (piece: Buffer) => {
    isView &&= memory !== undefined && piece.buffer === memory.buffer && piece.byteOffset === memory.byteOffset + bytes;
    bytes += piece.byteLength;
    pieces.push(Buffer.from(piece));
  });
  await finished(body);
  return { bytes: Buffer.concat(pieces), isView };
}

const partial = (content: Buffer, headers = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 206 Partial Content\r\nContent-Length: ${content.byteLength}\r\nETag:  "e" \r\n${headers}\r\n`,
    ),
    content,
  ]);

test.each([false, true])(
  'bytes come into the memory, one answer after the other on a connection (TLS: %s)',
  async (isTls) => {
    const contents = [randomBytes(3_000_000), randomBytes(1), randomBytes(70_000)];
    const server = await serverOf(
      (socket, request) => socket.write(partial(contents[request - 1] ?? Buffer.of())),
      isTls,
    );
    const handler = handlerOf({ network: { env: {}, ca: TEST_CERTIFICATE } });

    for (const content of contents) {
      const memory = memoryOf(content.byteLength);
      const { response } = await ask(handler, { port: server.port, protocol: isTls ? 'https:' : 'http:', memory });
      const { bytes, isView } = await read(response.body, memory);

      expect([response.statusCode, response.headers['etag'], isView]).toEqual([206, '"e"', true]);
      expect(bytes.equals(content) && memory.equals(content)).toBe(true);
    }
    expect(server.connections()).toBe(1);
    expect(server.heads[0]).toBe(
      `GET /b/k?x-id=GetObject HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nrange: bytes=0-9`,
    );
  },
);

test.each([
  ['localhost', 'localhost'],
  ['127.0.0.1', false],
])('the server at %s is asked for the certificate of %s', async (hostname, name) => {
  const names: unknown[] = [];
  const server = await serverOf((socket) => {
    names.push((socket as tls.TLSSocket).servername);
    socket.write(partial(Buffer.from(BODY)));
  }, true);
  const handler = handlerOf({ network: { env: {}, ca: TEST_CERTIFICATE } });
  const memory = memoryOf(10);

  const { response } = await ask(handler, { port: server.port, hostname, protocol: 'https:', memory });

  expect((await read(response.body, memory)).isView).toBe(true);
  expect(names).toEqual([name]);
});

test('a header that comes byte by byte is a header', async () => {
  const answer = partial(Buffer.from('0123456789'));
  const server = await serverOf((socket) => {
    socket.setNoDelay(true);
    void (async () => {
      for (const byte of answer) {
        socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
    })();
  });
  const memory = memoryOf(10);

  const { response } = await ask(handlerOf(), { port: server.port, memory });

  expect((await read(response.body, memory)).isView).toBe(true);
  expect(memory.toString()).toBe('0123456789');
});

const LENGTH = `Content-Length: ${BODY.length}\r\n`;
test.each<[what: string, answer: string, status: number]>([
  ['an error', `HTTP/1.1 403 Forbidden\r\n${LENGTH}\r\n${BODY}`, 403],
  ['the whole object', `HTTP/1.1 200 OK\r\n${LENGTH}\r\n${BODY}`, 200],
  ['chunks', `HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n`, 206],
  ['two lengths', `HTTP/1.1 206 P\r\nX: 1\r\nX: 2\r\n${LENGTH}\r\n${BODY}`, 206],
  ['another size', `HTTP/1.1 206 P\r\nContent-Length: 5\r\n\r\n01234`, 206],
  ['a go-ahead first', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 P\r\n${LENGTH}\r\n${BODY}`, 206],
  ['an older server', `HTTP/1.0 206 P\r\n${LENGTH}\r\n${BODY}`, 206],
])('%s comes as a stream, of the same request', async (_what, answer, status) => {
  const server = await serverOf((socket) => socket.write(answer));
  const memory = memoryOf(10);

  const { response } = await ask(handlerOf(), { port: server.port, memory });
  const { bytes } = await read(response.body);

  expect([response.statusCode, bytes.toString()]).toEqual([status, BODY.slice(0, bytes.byteLength)]);
  expect(memory.equals(Buffer.alloc(10))).toBe(true);
  expect(server.heads).toHaveLength(1);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test('a stream ends with its connection where nothing says how long it is', async () => {
  const server = await serverOf((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${BODY}`));

  const { response } = await ask(handlerOf(), { port: server.port });

  expect((await read(response.body)).bytes.toString()).toBe(BODY);
});

test('a stream in small pieces that is read late is whole', async () => {
  const content = randomBytes(400_000);
  const server = await serverOf((socket) => {
    socket.setNoDelay(true);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.byteLength}\r\n\r\n`);
    void (async () => {
      for (let at = 0; at < content.byteLength; at += 1000) {
        socket.write(content.subarray(at, at + 1000));
        await new Promise(setImmediate);
      }
    })();
  });

  const { response } = await ask(handlerOf(), { port: server.port });
  await sleep(200);

  expect((await read(response.body)).bytes.equals(content)).toBe(true);
});

test.each([
  // The first connection has ended; Node's client keeps another for all further requests.
  ['HTTP/1.1 206 P', [1, 2, 2, 2]],
  ['HTTP/1.1 503 Slow Down', [1, 2, 3, 4]],
])('where %s is answered in chunks, requests have needed %j connections', async (status, expected) => {
  const server = await serverOf((socket) =>
    socket.write(`${status}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n`),
  );
  const handler = handlerOf();

  const asked: number[] = [];
  for (let round = 0; round < 4; round++) {
    const { response } = await ask(handler, { port: server.port, memory: memoryOf(10) });
    expect((await read(response.body)).bytes.toString()).toBe(BODY);
    asked.push(server.connections());
  }
  expect(asked).toEqual(expected);
});

test('a proxy is not passed by', async () => {
  const server = await serverOf((socket) => socket.write(partial(Buffer.from(BODY))));
  const { proxy, hosts } = await tunnelTo(`http://127.0.0.1:${server.port}`);
  const handler = handlerOf({ network: { env: { http_proxy: proxy, https_proxy: proxy }, ca: undefined } });

  const { response, sizes } = await ask(handler, { port: server.port, memory: memoryOf(10) });

  expect((await read(response.body)).bytes.toString()).toBe(BODY);
  expect([sizes, hosts]).toEqual([[], [`127.0.0.1:${server.port}`]]);
});

test('a long stream is not cut, and read no faster than it is wanted', async () => {
  const content = randomBytes(20_000_000);
  let written = 0;
  const server = await serverOf((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${content.byteLength}\r\n\r\n`);
    socket.write(content, () => (written = content.byteLength));
  });

  const { response } = await ask(handlerOf(), { port: server.port });
  await sleep(200);
  expect(written).toBe(0);

  expect((await read(response.body)).bytes.equals(content)).toBe(true);
});

test('memory fills no faster than its body is wanted', async () => {
  const content = randomBytes(40_000_000);
  let written = 0;
  const server = await serverOf((socket) => socket.write(partial(content), () => (written = content.byteLength)));
  const memory = memoryOf(content.byteLength);

  const { response } = await ask(handlerOf(), { port: server.port, memory });
  await sleep(200);
  expect(written).toBe(0);

  expect((await read(response.body, memory)).isView).toBe(true);
  expect(memory.equals(content)).toBe(true);
});

test('a body that is ended early ends its connection, and writes no more', async () => {
  const server = await serverOf((socket) => {
    socket.write(partial(Buffer.alloc(1_000_000, 'x')).subarray(0, 500_000));
    socket.write(Buffer.alloc(100, 'y'));
  });
  const memory = memoryOf(1_000_000);

  const { response } = await ask(handlerOf(), { port: server.port, memory });
  response.body.destroy();
  const now = Buffer.from(memory);
  await expect.poll(() => server.sockets.size).toBe(0);

  expect(memory.equals(now)).toBe(true);
});

test('a body that ends late leaves the next answer of its connection alone', async () => {
  const server = await serverOf((socket) => void setTimeout(() => socket.write(partial(Buffer.from(BODY))), 50));
  const handler = handlerOf();

  const { response: first } = await ask(handler, { port: server.port, memory: memoryOf(10) });
  await sleep(50);
  const next = ask(handler, { port: server.port, memory: memoryOf(10) });
  first.body.destroy();

  expect((await read((await next).response.body)).bytes.toString()).toBe(BODY);
  expect(server.connections()).toBe(1);
});

test.each([
  ['before an answer', '', 'the connection closed before the answer'],
  ['in a header', 'HTTP/1.1 206 P\r\n', 'the connection closed before the answer'],
])('a server that hangs up %s has not answered', async (_when, text, message) => {
  const server = await serverOf((socket) => socket.end(text));

  await expect(ask(handlerOf(), { port: server.port })).rejects.toMatchObject({ message, code: 'ECONNRESET' });
});

test('a body that breaks off does not end well', async () => {
  const server = await serverOf((socket) => socket.end(partial(Buffer.from(BODY)).subarray(0, -1)));

  const { response } = await ask(handlerOf(), { port: server.port, memory: memoryOf(10) });
  response.body.resume();
  await new Promise((resolve) => response.body.once('close', resolve));

  expect(response.body.readableEnded).toBe(false);
});

test.each([
  ['Connection: close\r\n', 2],
  ['Keep-Alive: timeout=1\r\n', 2],
  ['Keep-Alive: timeout=60, max=9\r\n', 1],
])('after an answer with %j the next request takes connection %d', async (headers, connections) => {
  const server = await serverOf((socket) => socket.write(partial(Buffer.from(BODY), headers)));
  const handler = handlerOf();

  for (let asked = 0; asked < 2; asked++)
    await read((await ask(handler, { port: server.port, memory: memoryOf(10) })).response.body);

  expect(server.connections()).toBe(connections);
});

test.each([
  ['hangs up', (socket: Socket) => void socket.end()],
  ['says more', (socket: Socket) => void socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
])('a connection whose server %s is not used again', async (_what, then) => {
  const server = await serverOf((socket) => {
    socket.write(partial(Buffer.from(BODY)));
    setTimeout(then, 20, socket);
  });
  const handler = handlerOf();

  for (let asked = 1; asked <= 2; asked++) {
    const memory = memoryOf(10);
    await read((await ask(handler, { port: server.port, memory })).response.body, memory);
    expect(memory.toString()).toBe(BODY);
    await expect.poll(() => server.sockets.size).toBe(0);
  }
  expect(server.connections()).toBe(2);
});

test.each([
  [undefined, 4],
  [{ sockets: 2, ms: 60_000 }, 2],
  [{ sockets: 0, ms: 60_000 }, 0],
  [{ sockets: 4, ms: 50 }, 0],
])('with %j, %i of four connections stay open', async (idle, stay) => {
  const waiting: Socket[] = [];
  const server = await serverOf((socket) => {
    waiting.push(socket);
    if (waiting.length === 4) for (const one of waiting) one.write(partial(Buffer.from(BODY)));
  });
  const handler = handlerOf({ idle });

  const four = Array.from({ length: 4 }, () => ask(handler, { port: server.port, memory: memoryOf(10) }));
  await Promise.all((await Promise.all(four)).map(({ response }) => read(response.body)));

  await expect.poll(() => server.sockets.size).toBe(stay);
  handler.destroy();
  await expect.poll(() => server.sockets.size).toBe(0);
});

test('more requests than there may be connections are sent as others are', async () => {
  const waiting: Socket[] = [];
  const server = await serverOf((socket) => {
    waiting.push(socket);
    if (waiting.length === 3) for (const one of waiting) one.write(partial(Buffer.from(BODY)));
  });
  const handler = handlerOf({ maxSockets: 2 });

  const all = await Promise.all([1, 2, 3].map(() => ask(handler, { port: server.port, memory: memoryOf(10) })));

  expect(all.map(({ sizes }) => sizes)).toEqual([[10], [10], []]);
  for (const { response } of all) expect((await read(response.body)).bytes.toString()).toBe(BODY);
});

test('a server that never answers, or is not there, fails in time', async () => {
  const silent = await serverOf(() => undefined);
  const handler = handlerOf({ timeouts: { ...TIMEOUTS, answerMs: 100 } });

  await expect(ask(handler, { port: silent.port })).rejects.toMatchObject({
    name: 'TimeoutError',
    message: '127.0.0.1 did not answer within 0.1 s',
  });
  await expect.poll(() => silent.sockets.size).toBe(0);
  await expect(ask(handler, { port: 1 })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a server that never speaks TLS is given up', async () => {
  const silent = await serverOf(() => undefined);
  const handler = handlerOf({ timeouts: { ...TIMEOUTS, connectMs: 100 } });

  await expect(ask(handler, { port: silent.port, protocol: 'https:' })).rejects.toThrow(
    'no connection to 127.0.0.1 within 0.1 s',
  );
});

test('a certificate that nobody vouches for is refused', async () => {
  const server = await serverOf(() => undefined, true);

  await expect(ask(handlerOf(), { port: server.port, protocol: 'https:' })).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  expect(server.heads).toEqual([]);
});

test.each([
  ['before the answer', ''],
  ['within the body', partial(Buffer.alloc(100_000)).toString('latin1', 0, 1000)],
])('an abort %s ends the connection', async (_when, text) => {
  const server = await serverOf((socket) => socket.write(text, 'latin1'));
  const stop = new AbortController();

  const asked = ask(handlerOf(), { port: server.port, memory: memoryOf(100_000), abortSignal: stop.signal });
  const ended = asked.then(({ response }) => read(response.body));
  setTimeout(() => stop.abort(), 100);

  await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => server.sockets.size).toBe(0);
});

test.each([
  ['a length beside chunks', `Transfer-Encoding: chunked\r\n${LENGTH}`, BODY],
  ['more than its length', LENGTH, `${BODY}HTTP/1.1`],
])('an answer with %s is left to the client of Node', async (_what, headers, body) => {
  const server = await serverOf((socket) => socket.write(`HTTP/1.1 206 P\r\n${headers}\r\n${body}`));
  const memory = memoryOf(10);

  await ask(handlerOf(), { port: server.port, memory }).then(
    ({ response }) => response.body.destroy(),
    () => undefined,
  );

  expect(memory.equals(Buffer.alloc(10))).toBe(true);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test('a header that is larger than a header may be is refused', async () => {
  const server = await serverOf((socket) =>
    socket.write(`HTTP/1.1 206 P\r\n${LENGTH}X: ${'x'.repeat(20_000)}\r\n\r\n${BODY}`),
  );

  await expect(ask(handlerOf(), { port: server.port })).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  await expect.poll(() => server.sockets.size).toBe(0);
});

test('a header that would break the request is refused by the client of Node, and never sent', async () => {
  const server = await serverOf((socket) => socket.write(partial(Buffer.from(BODY))));
  const headers = { range: 'bytes=0-9\r\nx-injected: 1' };

  await expect(ask(handlerOf(), { port: server.port, headers })).rejects.toMatchObject({ code: 'ERR_INVALID_CHAR' });
  expect(server.heads).toEqual([]);
});

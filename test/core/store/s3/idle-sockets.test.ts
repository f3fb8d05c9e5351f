// How many connections are kept open without a request, and for how long.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { S3HttpHandler } from '../../../../src/core/store/s3/s3-http-handler.js';

const TIMEOUTS = { connectMs: 5000, idleMs: 5000, answerMs: 5000 };

/** A server that answers when all of `together` requests are there, and counts its connections. */
async function server(together: number) {
  const open = new Set<object>();
  let waiting: http.ServerResponse[] = [];
  let made = 0;
  const listening = http.createServer((_request, response) => {
    waiting.push(response);
    if (waiting.length < together) return;
    for (const each of waiting) each.end('x');
    waiting = [];
  });
  listening.keepAliveTimeout = 60_000;
  listening.on('connection', (socket) => {
    made++;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listening.close();
    listening.closeAllConnections();
  });
  return { port: (listening.address() as AddressInfo).port, open, made: () => made };
}

function handlerFor(idle: { sockets: number; ms: number } | undefined): S3HttpHandler {
  const handler = new S3HttpHandler({ maxSockets: 8, idle, timeouts: TIMEOUTS });
  onTestFinished(() => handler.destroy());
  return handler;
}

async function ask(handler: S3HttpHandler, port: number): Promise<void> {
  const request = { protocol: 'http:', hostname: '127.0.0.1', port, method: 'GET', path: '/', headers: {} };
  const { response } = await handler.handle(request);
  response.body.resume();
  await finished(response.body);
}

test.each([
  [undefined, 4],
  [{ sockets: 2, ms: 60_000 }, 2],
  [{ sockets: 0, ms: 60_000 }, 0],
])('with %j, %i of four connections stay open', async (idle, stay) => {
  const { port, open, made } = await server(4);
  const handler = handlerFor(idle);

  const askFour = (): Promise<unknown> => Promise.all(Array.from({ length: 4 }, () => ask(handler, port)));
  await askFour();
  await expect.poll(() => [made(), open.size]).toEqual([4, stay]);
  await askFour();

  expect(made()).toBe(4 + (4 - stay));
});

test('an idle connection is closed when its time is over', async () => {
  const { port, open } = await server(1);

  await ask(handlerFor({ sockets: 5, ms: 100 }), port);

  await expect.poll(() => open.size).toBe(0);
});

test('a request may take longer than a connection may idle', async () => {
  const slow = http.createServer((_request, response) => setTimeout(() => response.end('x'), 500));
  await new Promise<void>((resolve) => void slow.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    slow.close();
    slow.closeAllConnections();
  });

  const { port } = slow.address() as AddressInfo;
  await expect(ask(handlerFor({ sockets: 5, ms: 100 }), port)).resolves.toBeUndefined();
});

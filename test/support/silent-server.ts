// Servers that do not do their part: one takes connections and never says a word, one only counts who came.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export interface SilentServer {
  readonly endpoint: string;
  /** Connections so far on which something was said. */
  connections(): number;
  close(): Promise<void>;
}

/** Takes connections and what is sent on them, and never answers. */
export async function startSilentServer(): Promise<SilentServer> {
  const open = new Set<net.Socket>();
  let count = 0;
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.once('data', () => count++);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

export interface CountingServer {
  readonly endpoint: string;
  /** Method and target of each request, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** Refuses everything with 403, and remembers that it was asked. */
export async function startCountingServer(): Promise<CountingServer> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${String(request.headers['x-amz-target'] ?? '')}`.trim());
    request.resume();
    response.writeHead(403).end();
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// A proxy whose tunnels all end at one server of a test, whatever host was asked for: so addresses of providers can be used.
import http from 'node:http';
import net from 'node:net';
import { onTestFinished } from 'vitest';

export interface Tunnel {
  /** For `http_proxy`. */
  readonly proxy: string;
  /** Hosts that were asked for. */
  readonly hosts: readonly string[];
}

/** Ends with the test. */
export async function tunnelTo(endpoint: string): Promise<Tunnel> {
  const hosts: string[] = [];
  const { port } = new URL(endpoint);
  const server = http.createServer((_request, response) => void response.writeHead(405).end());
  const open = new Set<net.Socket>();
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    hosts.push(request.url ?? '');
    const upstream = net.connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((done) => server.close(done));
  });
  const address = server.address();
  return { proxy: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`, hosts };
}

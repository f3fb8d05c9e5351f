// Passes requests on to an S3 server and, at a chosen one that changes something, kills the client: before the server
// sees it, or after the server has acted and before the answer goes back.
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KillProxy {
  readonly endpoint: string;
  /** Requests since `arm` that change something. */
  changes(): number;
  /** Calls `kill` at the n-th such request from now on; 0 never. */
  arm(change: number, when: 'before' | 'after', kill: () => void): void;
  close(): Promise<void>;
}

const READING = new Set(['GET', 'HEAD']);

/** Starts a proxy to `upstream`. */
export async function startKillProxy(upstream: string): Promise<KillProxy> {
  const target = new URL(upstream);
  let changes = 0;
  let armed: { change: number; when: 'before' | 'after'; kill: () => void } | undefined;
  const server = http.createServer((request, response) => {
    if (!READING.has(request.method ?? '')) changes += 1;
    const isHit = !READING.has(request.method ?? '') && armed?.change === changes;
    if (isHit && armed?.when === 'before') {
      armed.kill();
      request.socket.destroy();
      return;
    }
    const onward = http.request(
      {
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: request.headers,
        agent: false,
      },
      (answer) => {
        if (isHit) {
          armed?.kill();
          request.socket.destroy();
          answer.resume();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes: () => changes,
    arm: (change, when, kill) => {
      changes = 0;
      armed = { change, when, kill };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

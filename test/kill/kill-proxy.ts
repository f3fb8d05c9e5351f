// Passes requests on to an S3 server and, at a chosen one that changes something, kills the client: before the server
// sees it, or after the server has acted and before the answer goes back.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface KillProxy {
  readonly endpoint: string;
  /** Requests since `arm` or `disarm` that change something. */
  changes(): number;
  /** Calls `kill` at the n-th such request from now on. */
  arm(change: number, when: 'before' | 'after', kill: () => void): void;
  /** Kills nobody from now on, and counts anew. */
  disarm(): void;
  /** Resolves when the server has answered, or lost, every request that it got. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const POLL_MS = 5;
const READING = new Set(['GET', 'HEAD']);

/** Starts a proxy to `upstream`. */
export async function startKillProxy(upstream: string): Promise<KillProxy> {
  const target = new URL(upstream);
  let changes = 0;
  let running = 0;
  let armed: { change: number; when: 'before' | 'after'; kill: () => void } | undefined;
  const server = http.createServer((request, response) => {
    if (!READING.has(request.method ?? '')) changes += 1;
    const isHit = !READING.has(request.method ?? '') && armed?.change === changes;
    if (isHit && armed?.when === 'before') {
      armed.kill();
      request.socket.destroy();
      return;
    }
    running++;
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
        response.on('close', () => answer.resume());
      },
    );
    onward.on('error', () => request.socket.destroy());
    onward.on('close', () => running--);
    // A client that is killed in the middle of a request never ends it.
    request.on('close', () => {
      if (!request.readableEnded) onward.destroy();
    });
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
    disarm: () => {
      changes = 0;
      armed = undefined;
    },
    settled: async () => {
      while (running > 0) await sleep(POLL_MS);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

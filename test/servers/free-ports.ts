import { createServer } from 'node:net';

/** The first of `count` ports in a row that nobody listens on. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await listenBriefly(0);
    if (first === undefined) continue;
    const rest = await Promise.all(Array.from({ length: count - 1 }, (_, index) => listenBriefly(first + index + 1)));
    if (!rest.includes(undefined)) return first;
  }
}

/** The port, undefined when it is taken. */
function listenBriefly(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

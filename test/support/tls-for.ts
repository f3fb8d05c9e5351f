// TLS in front of a server of a test, for hosts of the outside world, with an authority of its own.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp-folder.js';

/** Ends with the test. */
export async function tlsFor(host: string, endpoint: string): Promise<{ endpoint: string; authority: string }> {
  const folder = await tempFolder();
  const [key, authority] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const named = ['-subj', '/CN=test', '-addext', `subjectAltName=DNS:${host}`];
  execFileSync('openssl', [...made, ...named, '-keyout', key, '-out', authority], { stdio: 'ignore' });
  const port = Number(new URL(endpoint).port);
  const server = tls.createServer({ key: readFileSync(key), cert: readFileSync(authority) }, (client) => {
    const upstream = net.connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const own = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { endpoint: `https://127.0.0.1:${own}`, authority };
}

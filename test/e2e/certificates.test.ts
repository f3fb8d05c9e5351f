// Servers whose certificate is not right: the built program says what is wrong with it, and who can mend it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('left out: certificates (needs openssl)\n');

const AUTHORITY = `[ca]
default_ca = own
[own]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
x509_extensions = alternatives
[names]
commonName = supplied
[alternatives]
subjectAltName = NAME
`;

interface Made {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** A server with a certificate that signs itself. Gives its address and the certificate's file. */
async function startServer({ name, from, to }: Made): Promise<{ endpoint: string; file: string }> {
  const cwd = await tempFolder();
  const [key, cert] = [join(cwd, 'key'), join(cwd, 'cert')];
  const run = (...args: readonly string[]): Buffer => execFileSync('openssl', [...args], { cwd, stdio: 'pipe' });
  writeFileSync(join(cwd, 'authority'), AUTHORITY.replace('NAME', name));
  writeFileSync(join(cwd, 'index'), '');
  writeFileSync(join(cwd, 'serial'), '01\n');
  run('req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=archiver', '-keyout', key, '-out', 'request');
  const times = ['-startdate', from, '-enddate', to];
  run('ca', '-batch', '-selfsign', '-config', 'authority', '-keyfile', key, ...times, '-in', 'request', '-out', cert);
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
    response.writeHead(404).end(),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return { endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, file: cert };
}

const OURS = 'IP:127.0.0.1';
const [PAST, NOW_ON, FUTURE, LATER] = ['20200101000000Z', '20210101000000Z', '20990101000000Z', '20990201000000Z'];

describe.skipIf(!hasOpenssl)('a certificate that', () => {
  test.each<[string, Made, boolean, RegExp, RegExp]>([
    ['has expired', { name: OURS, from: PAST, to: NOW_ON }, true, /certificate of 127\S+ has expired/, /renews it/],
    ['is not valid yet', { name: OURS, from: FUTURE, to: LATER }, true, /is not valid yet/, /check the clocks/],
    [
      'is for another name',
      { name: 'DNS:other.example', from: PAST, to: FUTURE },
      true,
      /is for another name: .*127\.0\.0\.1/,
      /name the server in the endpoint as its certificate does/,
    ],
    [
      'nobody vouches for',
      { name: OURS, from: PAST, to: FUTURE },
      false,
      /no secure connection to 127/,
      /certificate authority with --ca-bundle or AWS_CA_BUNDLE/,
    ],
  ])('%s', async (_what, made, isTrusted, message, hint) => {
    const { endpoint, file } = await startServer(made);
    const env = {
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      ...(isTrusted ? { NODE_EXTRA_CA_CERTS: file } : {}),
    };
    const url = 's3://bucket/uploads/20251114-093012-1a2b3c4d';

    const ran = await archiver(await tempFolder(), ['list', url, '--endpoint-url', endpoint, '--json'], { env });

    const { error } = JSON.parse(ran.stdout) as { error: { message: string; hint: string } };
    expect(ran.status).toBe(1);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

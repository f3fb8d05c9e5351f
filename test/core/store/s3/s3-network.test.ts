// Proxies, certificate authorities, addresses and profiles, with a real server behind TLS and a real CONNECT proxy.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import { openStore, type OpenStoreOptions } from '../../../../src/core/store/open-store.js';
import { proxyFor } from '../../../../src/core/store/s3/s3-network.js';
import { readAll } from '../../../../src/core/store/read-content.js';
import { type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { useTestCredentials } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) process.stderr.write('left out: TLS through a proxy (needs openssl for a certificate)\n');

let s3: MemoryS3;
beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('bucket');
});
afterAll(() => s3.close());

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port;

async function listening<S extends net.Server>(server: S): Promise<S> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return server;
}

/** A proxy that makes tunnels for whoever knows the password, and remembers to where. */
async function startProxy(authorization?: string) {
  const tunnels: string[] = [];
  const server = await listening(http.createServer((_request, response) => void response.writeHead(405).end()));
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    client.on('error', () => undefined);
    if (authorization !== undefined && request.headers['proxy-authorization'] !== authorization) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels.push(request.url ?? '');
    const port = Number(request.url?.split(':').at(-1));
    const upstream = net.connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  return { address: `127.0.0.1:${portOf(server)}`, tunnels };
}

/** The S3 server behind TLS, for the name `s3.test`, which no DNS knows: only a proxy finds it. */
async function startTls() {
  const folder = await tempFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const name = ['-subj', '/CN=s3.test', '-addext', 'subjectAltName=DNS:s3.test,DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...args, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const server = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const { method, url, headers } = request;
    const forwarded = http.request(`${s3.endpoint}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await listening(server);
  onTestFinished(() => server.closeAllConnections());
  return { cert, port: portOf(server) };
}

async function open(options: OpenStoreOptions) {
  const opened = await openStore('s3://bucket/p', { region: 'us-east-1', ...options });
  onTestFinished(() => opened.close());
  return opened;
}

describe.runIf(hasOpenssl)('through a proxy, to a server with a certificate of its own', () => {
  test('chunks go there and back, by HTTPS_PROXY with a password and AWS_CA_BUNDLE', async () => {
    const { cert, port } = await startTls();
    const proxy = await startProxy(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
    const env = { HTTPS_PROXY: `http://me:p%40ss@${proxy.address}`, AWS_CA_BUNDLE: cert };
    const { store } = await open({ env, endpointUrl: `https://s3.test:${port}` });
    const body = Buffer.alloc(3 * 1024 * 1024, 'chunk ');

    await store.put('k', body);
    const read = await readAll(await store.get('k'), body.byteLength);

    expect(read.equals(body)).toBe(true);
    expect(new Set(proxy.tunnels)).toEqual(new Set([`s3.test:${port}`]));
  });

  test('a proxy that wants a password says so at once, and not the password that it got', async () => {
    const proxy = await startProxy('Basic other');
    const env = { https_proxy: `http://me:wrong@${proxy.address}` };
    const { store } = await open({ env, endpointUrl: 'https://s3.test' });

    const failure = await store.head('k').catch((error: unknown) => error);

    expect(failure).toMatchObject({
      message: `GetObject s3://bucket/p/k: no connection through the proxy ${proxy.address}: it wants another name and password`,
      hint: expect.stringContaining('NO_PROXY'),
    });
  });

  test('NO_PROXY leads past it, and --ca-bundle before AWS_CA_BUNDLE', async () => {
    const { cert, port } = await startTls();
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: proxy.address, NO_PROXY: 'localhost', AWS_CA_BUNDLE: '/none' };
    const { store } = await open({ env, endpointUrl: `https://localhost:${port}`, caBundle: cert });

    await store.put('direct', Buffer.from('x'));

    expect(proxy.tunnels).toEqual([]);
  });

  test('without the bundle the certificate is refused, and the hint names the flag', async () => {
    const { port } = await startTls();
    const { store } = await open({ env: {}, endpointUrl: `https://localhost:${port}` });

    await expect(store.head('k')).rejects.toMatchObject({ hint: expect.stringContaining('--ca-bundle') });
  });
});

test.each([
  ['no variable', {}, undefined],
  ['for both', { ALL_PROXY: 'http://p:1' }, 'http://p:1'],
  ['without a scheme it is http, not TLS', { HTTPS_PROXY: 'p:3128' }, 'http://p:3128'],
  ['small letters win', { https_proxy: 'http://small:1', HTTPS_PROXY: 'http://big:1' }, 'http://small:1'],
  ['the name itself', { HTTPS_PROXY: 'p:1', NO_PROXY: 's3.example.org' }, undefined],
  ['what is above it', { HTTPS_PROXY: 'p:1', NO_PROXY: 'other, example.org' }, undefined],
  ['with a dot', { HTTPS_PROXY: 'p:1', no_proxy: '.example.org' }, undefined],
  ['with a star', { HTTPS_PROXY: 'p:1', NO_PROXY: '*.example.org' }, undefined],
  ['everything', { HTTPS_PROXY: 'p:1', NO_PROXY: '*' }, undefined],
  ['another port', { HTTPS_PROXY: 'p:1', NO_PROXY: 's3.example.org:80' }, 'http://p:1'],
  ['half a name', { HTTPS_PROXY: 'p:1', NO_PROXY: 'ample.org' }, 'http://p:1'],
])('the proxy is chosen as curl does it: %s', (_name, env, expected) => {
  const found = proxyFor({ protocol: 'https:', hostname: 's3.example.org', port: 443 }, env);

  expect(found?.origin).toBe(expected);
});

test.each([
  ['minio:9000', /'minio:9000' is not the address of a server/],
  ['ftp://minio', /'ftp:\/\/minio' is not the address/],
])('the address %s is refused with one that would do', async (endpointUrl, words) => {
  await expect(open({ env: {}, endpointUrl })).rejects.toMatchObject({
    message: expect.stringMatching(words),
    hint: expect.stringContaining(`https://minio`),
  });
});

test('a bundle that holds no certificate is refused by its name', async () => {
  await expect(open({ env: { AWS_CA_BUNDLE: '/dev/null' }, endpointUrl: s3.endpoint })).rejects.toThrow(
    'the CA bundle /dev/null cannot be used: it holds no certificate in PEM',
  );
});

test('a profile that is not there is named with those that are', async () => {
  const config = join(await tempFolder(), 'config');
  await writeFile(config, '[profile lab]\nregion = eu-west-1\n[services here]\ns3 =\n  endpoint_url = http://x\n');
  const env = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: '/none' };

  await expect(open({ env, profile: 'lba' })).rejects.toMatchObject({
    message: 'there is no profile lba in the AWS config and credentials files',
    hint: expect.stringMatching(/^there are: lab; /) as string,
  });
});

test('a server that was never there is given up within seconds, and each try is told', async () => {
  const gone = await listening(net.createServer());
  const port = portOf(gone);
  await new Promise((resolve) => void gone.close(resolve));
  const events: TransferEvent[] = [];
  const { store } = await open({
    env: {},
    endpointUrl: `http://127.0.0.1:${port}`,
    onEvent: (event) => events.push(event),
  });
  const startedAt = performance.now();

  const failure = await store.head('k').catch((error: unknown) => error);

  expect(failure).toMatchObject({
    message: expect.stringContaining('refused the connection'),
    attempts: events.filter(({ type }) => type === 'retry').length + 1,
  });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('one that went away after it had answered is waited for', async () => {
  let now = 0;
  const events: TransferEvent[] = [];
  const server = await listening(http.createServer((_request, response) => response.end()));
  const retry = { now: () => (now += 2000), baseDelayMs: 1, maxDelayMs: 1 };
  const { store } = await open({
    env: {},
    endpointUrl: `http://127.0.0.1:${portOf(server)}`,
    retry,
    onEvent: (event) => events.push(event),
  });
  await store.head('k');
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));

  await expect(store.head('k')).rejects.toMatchObject({ attempts: 10 });
});

// Every service beside S3 is reached as the store is: the same authorities, proxies and time limits, and failures in the same words.
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { withServices } from '../../../../src/core/access/services.js';
import { callerIdentity } from '../../../../src/core/access/sts-client.js';
import { sampleAlert } from '../../../../src/core/notify/alerts/alert.js';
import { cloudwatchChannel } from '../../../../src/core/notify/alerts/channels/cloudwatch.js';
import { runAthenaQuery } from '../../../../src/core/money/analyze/inventory/athena-client.js';
import { withIam } from '../../../../src/core/fleet/identity/iam-client.js';
import { withProducts } from '../../../../src/core/money/live-prices/get-products.js';
import { awsService } from '../../../../src/core/store/s3/aws-service.js';
import type { NetworkSources } from '../../../../src/core/store/s3/s3-network.js';
import { startHook } from '../../../support/hook-server.js';
import { useTestCredentials } from '../../../support/open-s3.js';
import { startSilentServer } from '../../../support/silent-server.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { TEST_CERTIFICATE } from '../../../support/test-certificate.js';

beforeAll(useTestCredentials);

const { signal } = new AbortController();
const region = 'us-east-1';
const inRegion = (sources: NetworkSources) => ({ ...sources, region, isAws: false, signal });

function sendMetrics({ env }: NetworkSources, profile: string | null = null): Promise<unknown> {
  const settings = { namespace: 'archiver', region, profile, endpointUrl: null };
  const world = { env, network: { env, ca: undefined }, now: () => new Date() };
  return cloudwatchChannel(settings, world).send([sampleAlert('warning', new Date())], signal);
}

type Ask = (sources: NetworkSources) => Promise<unknown>;
const SERVICES: readonly (readonly [string, Ask])[] = [
  ['STS', (sources) => withServices(inRegion(sources), (services) => services.caller())],
  ['S3 Control', (sources) => withServices(inRegion(sources), (services) => services.accountBlock('123456789012'))],
  ['KMS', (sources) => withServices(inRegion(sources), ({ keys }) => keys.describe('alias/x', signal))],
  ['IAM', (sources) => withIam({ ...sources, region }, (iam) => iam.findUser('x'))],
  ['the price list', (sources) => withProducts(sources, signal, (get) => get({ serviceCode: 'AmazonS3', fields: {} }))],
  [
    'Athena',
    (sources) =>
      runAthenaQuery(inRegion(sources), {
        sql: '',
        database: 'x',
        workgroup: 'x',
        outputLocation: undefined,
        maxScanBytes: undefined,
        signal,
      }),
  ],
  ['CloudWatch', sendMetrics],
];

async function certificate(): Promise<string> {
  const file = join(await tempFolder(), 'ca.pem');
  await writeFile(file, TEST_CERTIFICATE);
  return file;
}
const tlsServer = () => startHook([{ status: 400, body: '{}' }], { isTls: true });

/** A proxy that refuses every tunnel, and remembers to where. */
async function startProxy() {
  const tunnels: (string | undefined)[] = [];
  const proxy = http.createServer();
  proxy.on('connect', ({ url }, socket) => {
    tunnels.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels };
}

describe.each(SERVICES)('%s', (_name, ask) => {
  test('believes the CA bundle, and names the flag where nobody vouches for the server', async () => {
    const server = await tlsServer();
    const env = { AWS_ENDPOINT_URL: server.url };

    await expect(ask({ env })).rejects.toMatchObject({ hint: expect.stringContaining('--ca-bundle') as string });
    expect(server.requests).toEqual([]);

    await expect(ask({ env: { ...env, AWS_CA_BUNDLE: await certificate() } })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:store|access-denied)$/) as string,
    });
    expect(server.requests).not.toEqual([]);
  });

  test('goes through the proxy, and says what it did', async () => {
    const { address, tunnels } = await startProxy();
    const env = { AWS_ENDPOINT_URL: 'https://service.test', HTTPS_PROXY: address };

    await expect(ask({ env })).rejects.toThrow('it answered 403');
    expect(new Set(tunnels)).toEqual(new Set(['service.test:443']));
  });
});

test('CloudWatch has the address and the authorities of its profile', async () => {
  const server = await tlsServer();
  const config = join(await tempFolder(), 'config');
  const profile = ['aws_access_key_id = a', 'aws_secret_access_key = b', `endpoint_url = ${server.url}`];
  await writeFile(config, ['[profile metrics]', ...profile, `ca_bundle = ${await certificate()}`, ''].join('\n'));

  // The SDK reads the keys, and looks into the variables of the process.
  vi.stubEnv('AWS_CONFIG_FILE', config);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(sendMetrics({ env: { AWS_CONFIG_FILE: config } }, 'metrics')).rejects.toThrow('CloudWatch in us-east-1');
  expect(server.requests).not.toEqual([]);
});

test('a service that stays silent is given up', async () => {
  const server = await startSilentServer();
  onTestFinished(() => server.close());
  const timeouts = { connectMs: 5000, idleMs: 50, answerMs: 50 };
  const more = { network: undefined, timeouts, maxAttempts: 1 };
  const settings = awsService({ env: {}, region, endpoint: server.endpoint, ...more });
  onTestFinished(() => settings.requestHandler.destroy());

  await expect(callerIdentity(settings, signal)).rejects.toThrow('sts:GetCallerIdentity: not answered');
});

// Starts the real servers that `*.servers.test.ts` run against: Ceph's S3 gateway and moto. Needs nothing but Node,
// bash and what the servers are installed with: Debian's packages for Ceph (root), Python for moto.
//   npx tsx test/servers/start-servers.ts     starts both, prints their exports, stops them at Ctrl+C
// ARCHIVER_TEST_RGW or ARCHIVER_TEST_MOTO that is set already names a server that runs, which is then left alone.
import { pathToFileURL } from 'node:url';
import { startCeph } from './ceph.js';
import { startMoto } from './moto.js';
import { TEST_KEYS, TEST_REGION } from './s3-server.js';
import { findPrometheus, installTools } from './tools.js';

const NAMES = ['ARCHIVER_TEST_RGW', 'ARCHIVER_TEST_MOTO'] as const;

export interface StartedServers {
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** Starts what is not running yet. @throws with everything stopped again, when a server cannot start */
export async function startServers(): Promise<StartedServers> {
  // Before the gateway, which may install packages too: apt lets only one at a time.
  await installTools();
  const prometheus = await findPrometheus();
  const running = NAMES.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  const [rgw, moto] = NAMES.map((name) => running.some(([known]) => known === name));
  const wanted = [...(rgw === true ? [] : [startCeph]), ...(moto === true ? [] : [startMoto])];
  const outcomes = await Promise.allSettled(wanted.map((start) => start()));
  const begun = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const started = [...begun, prometheus];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const { accessKeyId, secretAccessKey } = TEST_KEYS;
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: TEST_REGION };
  const env: Record<string, string> = Object.assign(
    { ...Object.fromEntries(running), ...keys },
    ...started.map((server) => server.env),
  );
  return { env, stop };
}

async function main(): Promise<void> {
  const { env, stop } = await startServers();
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}=${value}\n`);
  const keepAlive = setInterval(() => undefined, 60_000);
  const end = (): void => {
    clearInterval(keepAlive);
    void stop();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();

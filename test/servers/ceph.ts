// A one-node Ceph cluster in memory with its S3 gateway: Debian's packages, which the script installs where they are missing (root).
import { execFile, spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';
import { notOnPath, serverFolder, waitUntilReady } from './serve.js';

const run = promisify(execFile);
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const INSTALL_MS = 600_000;

/** Why it cannot be started here. */
export const noCeph = (): string | undefined =>
  notOnPath('radosgw') !== undefined && process.getuid?.() !== 0
    ? 'radosgw is not on the PATH, and only root may install it'
    : undefined;

/** Starts one with nothing in it. @throws with what it said when it does not start */
export async function startCeph(): Promise<S3Server> {
  const port = await freePorts(2); // the monitor takes the second one
  const folder = serverFolder('rgw');
  const stop = async (): Promise<void> => {
    await run('bash', [script('rgw-down.sh'), folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await runScript(folder, port);
    await waitUntilReady(endpoint, () => undefined);
  } catch (error) {
    await stop();
    throw error;
  }
  const env = { ARCHIVER_TEST_RGW: endpoint, ARCHIVER_TEST_RGW_CONF: join(folder, 'ceph.conf') };
  return { endpoint, region: TEST_REGION, ...TEST_KEYS, env, stop };
}

/** The daemons keep what they are given open: pipes would never end, so the output goes to a file beside the folder. */
async function runScript(folder: string, port: number): Promise<void> {
  const log = `${folder}.log`;
  const output = await open(log, 'w');
  try {
    const stdio = ['ignore', output.fd, output.fd] as const;
    const child = spawn('bash', [script('rgw-up.sh'), folder, String(port)], { stdio: [...stdio] });
    const timer = setTimeout(() => child.kill(), INSTALL_MS);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('exit', resolve);
      child.once('error', reject);
    });
    clearTimeout(timer);
    if (status !== 0) throw new Error(`the Ceph gateway did not start:\n${(await readFile(log, 'utf8')).slice(-4000)}`);
  } finally {
    await output.close();
    await rm(log, { force: true });
  }
}

// moto_server, which is installed into a virtual environment when it is not on the PATH.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';
import { notOnPath, serve, serverFolder } from './serve.js';

const run = promisify(execFile);
const INSTALL_MS = 600_000;

/** Why it cannot be started here. */
export const noMoto = (): string | undefined =>
  notOnPath('moto_server') && notOnPath('python3') && 'neither moto_server nor python3 is on the PATH';

async function findMoto(): Promise<{ readonly command: string; readonly remove: () => Promise<void> }> {
  const isThere = await run('moto_server', ['--help']).then(
    () => true,
    () => false,
  );
  if (isThere) return { command: 'moto_server', remove: () => Promise.resolve() };
  const folder = serverFolder('moto-install');
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', 'moto[server]'], { timeout: INSTALL_MS });
  return { command: join(folder, 'bin', 'moto_server'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts one with nothing in it. @throws with what it said when it does not start */
export async function startMoto(): Promise<S3Server> {
  const { command, remove } = await findMoto();
  const port = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
  const args = ['-H', '127.0.0.1', '-p', String(port)];
  try {
    const { HOME = '' } = process.env; // a shim on the PATH finds its Python there
    const { stop } = await serve({ name: 'moto', command, args: () => args, env: { HOME }, url: endpoint });
    const env = { ARCHIVER_TEST_MOTO: endpoint, ARCHIVER_TEST_MOTO_COMMAND: command };
    const stopAll = async (): Promise<void> => {
      await stop();
      await remove();
    };
    return { endpoint, region: TEST_REGION, ...TEST_KEYS, env, stop: stopAll };
  } catch (error) {
    await remove();
    throw error;
  }
}

// Garage: ignores If-None-Match, has a region of its own and makes its keys itself.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import type { S3Keys, S3Server } from './s3-server.js';
import { notOnPath, serve } from './serve.js';

const run = promisify(execFile);
const REGION = 'garage';
const TRIES = 60;
const POLL_MS = 250;

/** Why it cannot be started here. */
export const noGarage = (): string | undefined => notOnPath('garage');

const config = (folder: string, port: number): string => `metadata_dir = "${folder}/meta"
data_dir = "${folder}/data"
db_engine = "sqlite"
replication_factor = 1
rpc_bind_addr = "127.0.0.1:${port + 1}"
rpc_public_addr = "127.0.0.1:${port + 1}"
rpc_secret = "${randomBytes(32).toString('hex')}"
[s3_api]
s3_region = "${REGION}"
api_bind_addr = "127.0.0.1:${port}"
root_domain = ".s3.garage.localhost"
`;

export interface Garage extends S3Server {
  /** What `garage ARGS` says: it makes buckets and keys, and says which key may read, write or own what. */
  readonly control: (...args: readonly string[]) => Promise<string>;
  /** Makes a key. */
  readonly addKey: (name: string) => Promise<S3Keys>;
}

/** Starts one with nothing in it, and a key that may make buckets. @throws with what it said when it does not start */
export async function startGarage(): Promise<Garage> {
  const port = await freePorts(2);
  const endpoint = `http://127.0.0.1:${port}`;
  const { folder, stop } = await serve({
    name: 'garage',
    command: 'garage',
    args: (folder) => {
      for (const name of ['data', 'meta']) mkdirSync(`${folder}/${name}`);
      writeFileSync(`${folder}/garage.toml`, config(folder, port), { mode: 0o600 });
      return ['-c', `${folder}/garage.toml`, 'server'];
    },
    url: endpoint,
  });
  const control = async (...args: readonly string[]): Promise<string> =>
    (await run('garage', ['-c', `${folder}/garage.toml`, ...args])).stdout;
  const addKey = async (name: string): Promise<S3Keys> => keysIn(await control('key', 'create', name));
  try {
    await layOut(control);
    const keys = await addKey('archiver');
    await control('key', 'allow', '--create-bucket', 'archiver');
    return { endpoint, region: REGION, ...keys, env: {}, stop, control, addKey };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The only node, which a server needs before it stores anything. */
async function layOut(control: Garage['control']): Promise<void> {
  const node = await untilDone(() => control('node', 'id', '-q'));
  await untilDone(() => control('layout', 'assign', '-z', 'dc1', '-c', '5G', node.split('@')[0] ?? ''));
  await control('layout', 'apply', '--version', '1');
}

function keysIn(made: string): S3Keys {
  const [accessKeyId, secretAccessKey] = [/Key ID:\s+(\S+)/, /Secret key:\s+(\S+)/].map((line) => line.exec(made)?.[1]);
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error(`garage made no key: ${made}`);
  return { accessKeyId, secretAccessKey };
}

async function untilDone(work: () => Promise<string>): Promise<string> {
  for (let left = TRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(POLL_MS);
    }
  }
}

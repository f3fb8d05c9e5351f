// The stores that a soak can run on.
import { join } from 'node:path';
import { KNOWN_SERVERS } from '../servers/known-servers.js';
import { TEST_KEYS, TEST_REGION } from '../servers/s3-server.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { s3SoakStore, type Address } from './s3-soak-store.js';
import { folderSoakStore, type SoakStore } from './soak-store.js';

/** A server in this process, a folder, and every server that can be started. */
export const STORES: readonly string[] = ['s3', ...KNOWN_SERVERS.map(({ id }) => id)];

export interface OpenSoakStore {
  readonly store: SoakStore;
  readonly close: () => Promise<void>;
}

/** Where a variable names one that runs, it is taken. */
const VARIABLES: Readonly<Record<string, string>> = { ceph: 'ARCHIVER_TEST_RGW', moto: 'ARCHIVER_TEST_MOTO' };

async function startServer(kind: string): Promise<Address & { readonly stop: () => Promise<void> }> {
  const running = process.env[VARIABLES[kind] ?? ''];
  const known = { region: TEST_REGION, ...TEST_KEYS };
  if (running !== undefined) return { ...known, endpoint: running, stop: () => Promise.resolve() };
  if (kind === 's3') {
    const memory = await startMemoryS3();
    return { ...known, endpoint: memory.endpoint, stop: () => memory.close() };
  }
  const server = KNOWN_SERVERS.find(({ id }) => id === kind);
  const [start, reason] = [server?.start, server?.lacking()];
  if (start === undefined || reason !== undefined) throw new Error(`no store ${kind}: ${reason ?? 'unknown'}`);
  return await start();
}

/** Makes an empty store of that kind. */
export async function openSoakStore(kind: string, folder: string, bucket: string): Promise<OpenSoakStore> {
  if (kind === 'folder') return { store: folderSoakStore(join(folder, 'store')), close: async () => undefined };
  const server = await startServer(kind);
  return { store: await s3SoakStore(server, bucket), close: server.stop };
}

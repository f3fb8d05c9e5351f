// The stores that a soak can run on.
import { join } from 'node:path';
import { startMemoryS3 } from '../support/memory-s3.js';
import { s3SoakStore, S3_ENV } from './s3-soak-store.js';
import { folderSoakStore, type SoakStore } from './soak-store.js';

export const STORES = ['folder', 'ceph', 'moto', 's3'] as const;
export type StoreKind = (typeof STORES)[number];

export interface OpenSoakStore {
  readonly store: SoakStore;
  readonly close: () => Promise<void>;
}

interface Servers {
  readonly startServers: () => Promise<{ env: Record<string, string>; stop: () => Promise<void> }>;
}

const VARIABLES = { ceph: 'ARCHIVER_TEST_RGW', moto: 'ARCHIVER_TEST_MOTO' } as const;

/** Starts one server alone: those whose variable is set are taken as running. */
async function startServer(kind: 'ceph' | 'moto'): Promise<{ url: string; stop: () => Promise<void> }> {
  const other = kind === 'ceph' ? VARIABLES.moto : VARIABLES.ceph;
  process.env[other] ??= 'not needed';
  const path: string = '../servers/start-servers.mjs';
  const { startServers } = (await import(path)) as Servers;
  const { env, stop } = await startServers();
  return { url: env[VARIABLES[kind]] ?? '', stop };
}

/** Makes an empty store of that kind. */
export async function openSoakStore(kind: StoreKind, folder: string, bucket: string): Promise<OpenSoakStore> {
  if (kind === 'folder') return { store: folderSoakStore(join(folder, 'store')), close: async () => undefined };
  Object.assign(process.env, S3_ENV);
  if (kind === 's3') {
    const server = await startMemoryS3();
    return { store: await s3SoakStore(server.endpoint, bucket), close: () => server.close() };
  }
  const { url, stop } = await startServer(kind);
  return { store: await s3SoakStore(url, bucket), close: stop };
}

// The same with an S3 server; a point is before or after a request that changes something.
import { execFile, type ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { readAll } from '../../src/core/store/read-content.js';
import type { ObjectStore, WholeStore } from '../../src/core/store/object-store.js';
import { CLI, type Ran } from '../e2e/upload-cli.js';
import { openTestS3 } from '../support/open-s3.js';
import { startKillProxy } from './kill-proxy.js';
import { makeFolders, type World } from './world.js';

const LARGEST = 64 << 20;

interface SavedObject {
  readonly etag: string;
  readonly bytes: Buffer;
}

async function saveStore(store: ObjectStore): Promise<Map<string, SavedObject>> {
  const saved = new Map<string, SavedObject>();
  for await (const { objects } of store.list()) {
    for (const { key, etag } of objects) saved.set(key, { etag, bytes: await readAll(await store.get(key), LARGEST) });
  }
  return saved;
}

async function resetStore(store: WholeStore, saved: ReadonlyMap<string, SavedObject>): Promise<void> {
  const missing = new Map(saved);
  const foreign: string[] = [];
  for await (const { objects } of store.list()) {
    for (const { key, etag } of objects) {
      if (!saved.has(key)) foreign.push(key);
      else if (saved.get(key)?.etag === etag) missing.delete(key);
    }
  }
  await store.delete(foreign);
  for (const [key, { bytes }] of missing) await store.put(key, bytes);
}

/** An empty world at a prefix of its own; it lasts as long as the test. */
export async function makeS3World(upstream: string, bucket: string): Promise<World> {
  const proxy = await startKillProxy(upstream);
  onTestFinished(() => proxy.close());
  const { store } = await openTestS3(upstream, bucket);
  const { source, home, save, reset } = await makeFolders();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
    ARCHIVER_CREATE_ONCE: 'yes', // what is asked once for a store is no part of what is killed
  };
  const run = (args: readonly string[], arm: (child: ChildProcess) => void): Promise<Ran> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [CLI, ...args], { env }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      );
      arm(child);
    });
  let saved: ReadonlyMap<string, SavedObject> = new Map();
  return {
    source,
    store,
    url: store.url,
    run: (...args) => run(args, () => proxy.disarm()),
    points: async (...args) => {
      await run(args, () => proxy.disarm());
      return Array.from({ length: proxy.changes() }, (_, index) => [
        `before ${index + 1}`,
        `after ${index + 1}`,
      ]).flat();
    },
    killAt: async (point, ...args) => {
      const [when, change] = point.split(' ');
      const { status } = await run(args, (child) =>
        proxy.arm(Number(change), when === 'before' ? 'before' : 'after', () => void child.kill('SIGKILL')),
      );
      await proxy.settled();
      return status === null;
    },
    save: async () => {
      save();
      saved = await saveStore(store);
    },
    reset: async () => {
      reset();
      await resetStore(store, saved);
    },
  };
}

// Datasets with uneven shards, and balances of them in a folder, on a store that tests may break.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { balance, previewBalance } from '../../../../src/core/mend/balance/balance.js';
import type { BalancePlan } from '../../../../src/core/mend/balance/plan-balance.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import type { VerifyResult } from '../../../../src/core/mend/verify/verify.js';
import type { FileSpec, Json } from '../../../support/make-archive.js';
import { linkId, type LinkSpec } from '../../../support/make-chain.js';
import { makeDataset, writeObjects, type MadeDataset } from '../../../support/make-dataset.js';
import { restoreFrom } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { verifyMade } from '../../../support/verify-made.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';

const signal = new AbortController().signal;

/** Bytes that do not shrink. */
export const noise = (size: number, seed: string): Buffer => {
  const parts = Array.from({ length: Math.ceil(size / 32) }, (_, part) =>
    createHash('sha256').update(`${seed} ${part}`).digest(),
  );
  return Buffer.concat(parts).subarray(0, size);
};

/** Files of these sizes, each in a chunk of its own: even chunks in shard 0, odd ones in shard 1. */
export const filesOf = (sizes: readonly number[], name = 'f'): FileSpec[] =>
  sizes.map((size, chunk) => ({ path: `${name}${chunk}`, content: noise(size, `${name}${chunk}`), chunk }));

/** Says that the upload was made for so many shards, of which two are used. */
export const madeFor =
  (shards: number) =>
  (manifest: Json): void => {
    manifest['settings'] = { ...(manifest['settings'] as Json), shardCount: shards };
  };

export const SIZES = [9000, 8000, 7000, 6000, 5000, 4000, 3000, 2000];

/** One version: eight chunks in two of four shards. */
export const lonely = (bend: LinkSpec['bend'] = madeFor(4)): MadeDataset =>
  makeDataset([
    {
      files: [
        ...filesOf(SIZES),
        { path: 'dir', type: 'directory', mode: '0711' },
        { path: 'dir/caf\u00e9 \u2014 \u6f22.txt', content: 'text', chunk: 3 },
        { path: 'link', type: 'symlink', target: 'f0' },
        { path: 'twin', type: 'hardlink', linkTo: 'f0', linkGroup: 1 },
      ],
      ...(bend === undefined ? {} : { bend }),
    },
  ]);

export async function folderWith(made: MadeDataset): Promise<string> {
  const folder = join(await tempFolder(), 'store');
  await writeObjects(folder, made.objects);
  return folder;
}

export interface RunOptions {
  readonly uploadId?: UploadId;
  readonly threshold?: number;
  readonly wrap?: (store: ObjectStore) => ObjectStore;
}

export async function balanceFolder(folder: string, options: RunOptions = {}): Promise<BalancePlan> {
  const { uploadId = linkId(0), threshold = 1.5, wrap } = options;
  const plain = fileStore(folder);
  const store = wrap?.(plain) ?? plain;
  return await balance(store, { uploadId, threshold, randomBytes, signal, requestsAtOnce: 1, lock: undefined });
}

export async function previewFolder(folder: string, options: RunOptions = {}): Promise<BalancePlan> {
  const { uploadId = linkId(0), threshold = 1.5 } = options;
  return await previewBalance(fileStore(folder), { uploadId, threshold, randomBytes, signal });
}

export const verifyFolder = (folder: string, uploadId = linkId(0)): Promise<VerifyResult> =>
  verifyMade(fileStore(folder), uploadId);

/** Restores everything and returns the content of each of these files. */
export async function restored(folder: string, paths: readonly string[], uploadId = linkId(0)): Promise<Buffer[]> {
  const { out } = await restoreFrom(fileStore(folder), uploadId);
  return await Promise.all(paths.map((path) => readFile(join(out, path))));
}

/** Calls `before` ahead of every change of an object, with its number from 0. */
export function onMutation(
  store: ObjectStore,
  before: (call: number, what: string) => Promise<void> | void,
): ObjectStore {
  let calls = 0;
  return {
    ...store,
    put: async (key, body, options) => {
      await before(calls++, `put ${key}`);
      return await store.put(key, body, options);
    },
    copy: async (from, to, options) => {
      await before(calls++, `copy ${to}`);
      await store.copy(from, to, options);
    },
  };
}

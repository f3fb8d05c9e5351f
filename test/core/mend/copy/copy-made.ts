// A store of three versions, and copies of it into stores that tests may break.
import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { addTag } from '../../../../src/core/dataset/set-tag.js';
import { type CopyOptions, newCopyRun } from '../../../../src/core/mend/copy/copy-run.js';
import { copyVersions, type CopyResult } from '../../../../src/core/mend/copy/copy-versions.js';
import { type CopyPlan, planCopy } from '../../../../src/core/mend/copy/plan-copy.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { readAll } from '../../../../src/core/store/read-content.js';
import { type MadeDataset, makeDataset, writeObjects } from '../../../support/make-dataset.js';
import { tempFolder } from '../../../support/temp-folder.js';

export const signal = new AbortController().signal;
const LIMIT = 2 ** 24;

/** Three versions: a full listing and two deltas, each with a chunk of its own. */
export const history = (): MadeDataset =>
  makeDataset([
    {
      files: [
        { path: 'a', content: randomBytes(300) },
        { path: 'b', content: 'b' },
      ],
    },
    { files: [{ path: 'c', content: 'c' }], deleted: ['b'] },
    { files: [{ path: 'd', content: 'd' }], kept: { a: { mode: '0600' } } },
  ]);

/** A folder store, with these objects. */
export async function storeOf(objects: ReadonlyMap<string, Buffer> = new Map()): Promise<WholeStore> {
  const folder = join(await tempFolder(), 'store');
  await writeObjects(folder, objects);
  return fileStore(folder);
}

export const bytesAt = async (store: WholeStore, key: string): Promise<Buffer> =>
  await readAll(await store.get(key), LIMIT);

/** The digest of every object, by key. */
export async function digests(store: WholeStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const page of store.list())
    for (const { key } of page.objects) found[key] = hash('sha256', await bytesAt(store, key), 'hex');
  return found;
}

/** Keys of version records. */
export const records = async (store: WholeStore): Promise<readonly string[]> =>
  Object.keys(await digests(store)).filter((key) => /^datasets\/[^/]+\/v/.test(key));

export interface Copied extends CopyResult {
  readonly plan: CopyPlan;
}

/** Copies everything, unless `options` choose. */
export async function copyOf(
  from: WholeStore,
  to: WholeStore,
  { versions = [], ...options }: Partial<CopyOptions> & { readonly versions?: readonly string[] } = {},
): Promise<Copied> {
  const run = newCopyRun({
    from,
    to,
    choice: { uploadId: undefined, dataset: undefined, versions },
    isExclusive: false,
    isDeep: false,
    allowUnencrypted: false,
    storageClass: 'STANDARD',
    kmsKeyId: undefined,
    retention: undefined,
    requestsAtOnce: 2,
    memoryLimitBytes: undefined,
    addTag: (asked) => addTag(to, asked, { now: new Date(), deleter: to, signal }),
    emit: () => undefined,
    warn: () => undefined,
    now: () => new Date(),
    signal,
    ...options,
  });
  const plan = await planCopy(run);
  return { plan, ...(await copyVersions(run, plan)) };
}

/** What kept versions from being copied, in their order. */
export const reasons = ({ failures }: CopyResult): readonly string[] =>
  failures.map(({ version, error }) => `v${version.version}: ${error.message}`);

// Brings versions back in folders, on a clock that tests set.
import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { undelete, type Undeleted, type UndeleteRequest } from '../../../../src/core/mend/undelete/undelete.js';
import { listVersions } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import { allKeys, DATASET, recordKey } from '../../../support/make-dataset.js';
import { DAY } from '../../dataset/prune/prune-run.js';

export const HOUR = 3_600_000;
export const signal = new AbortController().signal;

/** The same store, whose clock is ahead by as many hours as `hours` says. */
export const later = <S extends ObjectStore>(store: S, hours: () => number): S => ({
  ...store,
  time: async (asked) => new Date((await store.time(asked)).getTime() + hours() * HOUR),
});

export const bringBack = (
  store: ObjectStore,
  version: number,
  options: Partial<UndeleteRequest> = {},
): Promise<Undeleted> =>
  undelete(store, {
    datasetId: DATASET,
    version: { kind: 'ordinal', version },
    graceMs: DAY,
    dryRun: false,
    signal,
    ...options,
  });

/** Everything in the folder is so many hours older. */
export async function pass(folder: string, hours: number): Promise<void> {
  const store: WholeStore = fileStore(folder);
  for await (const { objects } of store.list())
    for (const { key, lastModified } of objects) {
      const moment = new Date(lastModified.getTime() - hours * HOUR);
      await utimes(join(folder, key), moment, moment);
    }
}

export const marksIn = async (folder: string): Promise<string[]> =>
  (await allKeys(fileStore(folder))).filter((key) => key.includes('/sweep-'));

export const recordAt = async (folder: string, version: number): Promise<string> =>
  await readFile(join(folder, recordKey(version)), 'utf8');

export const listedIn = async (folder: string): Promise<number[]> =>
  (await listVersions(fileStore(folder), DATASET)).map(({ version }) => version);

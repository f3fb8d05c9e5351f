// Uploads that are interrupted and go on, in this process, on folders.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { FileJournal } from '../../../../src/core/archive/resume/file-journal.js';
import { openSaved, type SavedUpload } from '../../../../src/core/archive/resume/saved-upload.js';
import { savedUploads } from '../../../../src/core/archive/resume/state-folder.js';
import type { SavedCommand } from '../../../../src/core/archive/resume/upload-state.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { restoreFrom } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { verifyMade } from '../../../support/verify-made.js';
import { type Described, describeTree } from '../trees.js';
import { uploadFolder, type UploadRun, type UploadRunOptions } from '../upload-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

export const HOST = 'test-host';

/** A command line as a state keeps it. */
export const savedCommand = (source: string, base: string): SavedCommand => ({
  command: 'upload',
  sources: [source],
  sourceKey: Buffer.from(source).toString('base64'),
  destination: `file://${base}`,
  storeUrl: `file://${base}`,
  flags: { storageClass: 'STANDARD' },
  origins: {},
});

export interface Site {
  readonly source: string;
  readonly base: string;
  readonly state: string;
  /** What journals had to say. */
  readonly troubles: string[];
  readonly randomBytes: () => Buffer;
}

/** Fresh places for one upload. */
export async function site(): Promise<Site> {
  const folder = await tempFolder();
  let next = 0;
  return {
    source: join(folder, 'source'),
    base: join(folder, 'store'),
    state: join(folder, 'state'),
    troubles: [],
    randomBytes: () => Buffer.from([0, 0, next >> 8, next++ & 0xff]),
  };
}

export interface RunOptions extends UploadRunOptions {
  readonly goesOn?: SavedUpload;
}

/** Uploads with a journal. */
export function run(place: Site, { goesOn, ...options }: RunOptions = {}): UploadRun {
  const journal = new FileJournal({
    folder: place.state,
    host: HOST,
    saved: savedCommand(place.source, place.base),
    now: () => new Date(),
    onTrouble: (text) => place.troubles.push(text),
    goesOn,
  });
  const { randomBytes } = place;
  return uploadFolder(place.source, place.base, {
    randomBytes,
    ...options,
    journal,
    ...(goesOn === undefined ? {} : { resume: goesOn, datasetId: goesOn.state.datasetId }),
  });
}

/** Goes on with what is saved; the only one unless named. */
export async function goOn(place: Site, options: RunOptions = {}): Promise<UploadRun> {
  const [uploadId = ''] = await savedUploads(place.state).ids();
  const goesOn = await openSaved(place.state, uploadId, HOST);
  return run(place, { ...options, goesOn });
}

/** The store fails every PUT of a key like this after the first `puts`, which it finishes first. */
export function failingAfter(puts: number, key = /\/chunk-/): (store: ObjectStore) => ObjectStore {
  const going: Promise<unknown>[] = [];
  return (store) => ({
    ...store,
    put: async (name, body, options) => {
      if (!key.test(name)) return await store.put(name, body, options);
      if (going.length >= puts) {
        await Promise.allSettled(going);
        await sleep(20); // until it was heard of
        throw new Error('the wire was cut');
      }
      const put = store.put(name, body, options);
      going.push(put);
      return await put;
    },
  });
}

export const chunkPuts = ({ calls }: Pick<UploadRun, 'calls'>): string[] =>
  calls.filter((call) => call.startsWith('put ') && call.includes('/chunk-')).map((call) => call.slice(4));

export const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** What comes back of an upload. */
export async function restored(base: string, uploadId: string): Promise<Record<string, Described>> {
  const options = { overwrite: 'always', keepSpecialBits: true } as const;
  const { failed, out } = await restoreFrom(fileStore(base), asUploadId(uploadId), options);
  if (failed.length > 0) throw new Error(`not restored: ${JSON.stringify(failed)}`);
  return describeTree(rawFromText(out));
}

/** A version that is read back and restored: it is sound, and has what the source has. */
export async function expectWhole({ source, base }: Site, uploadId: string): Promise<void> {
  expect(await verifyMade(fileStore(base), asUploadId(uploadId))).toMatchObject({ ok: true, errors: [] });
  expect(await restored(base, uploadId)).toEqual(describeTree(rawFromText(source)));
}

// Several machines that write to one dataset in a folder: each with its own state, caches and rights. For tests of features
// that meet.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHeadCache } from '../../../src/core/dataset/cache/head-cache.js';
import { openCheckCache } from '../../../src/core/dataset/cache/check-cache.js';
import { openManifestCache } from '../../../src/core/dataset/cache/manifest-cache.js';
import { type ListedVersion, listVersions, readVersion } from '../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../src/core/store/object-store.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { FileJournal } from '../../../src/core/archive/resume/file-journal.js';
import { openSaved } from '../../../src/core/archive/resume/saved-upload.js';
import { savedUploads } from '../../../src/core/archive/resume/state-folder.js';
import { tempFolder } from '../../support/temp-folder.js';
import { type Described, describeTree, noise } from '../archive/trees.js';
import { uploadFolder, type UploadRun, type UploadRunOptions } from '../archive/upload-folder.js';
import { pruneFolder, type PruneRun, type PruneRunOptions } from '../dataset/prune/prune-run.js';
import { HOST, restored, savedCommand } from '../archive/resume/interrupted.js';

export const LAB = 'lab-00000001';

export interface Machine {
  readonly home: string;
  /** Its folder of saved uploads. */
  readonly state: string;
}

export class Lab {
  private ids = 0;

  private constructor(
    readonly home: string,
    readonly source: string,
    readonly base: string,
  ) {}

  static async make(files = 40): Promise<Lab> {
    const home = await tempFolder();
    const lab = new Lab(home, join(home, 'source'), join(home, 'store'));
    mkdirSync(lab.source);
    for (let index = 0; index < files; index++) lab.write(`file-${index}`, `content ${index}`);
    return lab;
  }

  get store(): WholeStore {
    return fileStore(this.base);
  }

  write(name: string, content: string | Buffer = noise(3000), source = this.source): void {
    writeFileSync(join(source, name), content);
  }

  remove(name: string): void {
    rmSync(join(this.source, name), { recursive: true });
  }

  /** Another folder for the same dataset. */
  folder(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.home, name);
    mkdirSync(folder);
    for (const [file, content] of Object.entries(files)) this.write(file, content, folder);
    return folder;
  }

  machine(name: string): Machine {
    const home = join(this.home, name);
    return { home, state: join(home, 'state') };
  }

  /** A full upload, or with `changes` one of changes, on this machine; with a journal where it is to be resumable. */
  upload(machine: Machine, { source = this.source, ...options }: UploadRunOptions = {}): UploadRun {
    const cache = join(machine.home, 'manifest-cache');
    return uploadFolder(source, this.base, {
      randomBytes: () => Buffer.from([7, 0, ++this.ids >> 8, this.ids & 0xff]),
      datasetId: LAB,
      cache: openManifestCache({ folder: cache, limitBytes: 2 ** 30 }),
      heads: openHeadCache(cache, () => undefined),
      looks: openCheckCache({ folder: cache, onTrouble: () => undefined }),
      journal: new FileJournal({
        folder: machine.state,
        host: HOST,
        saved: savedCommand(source, this.base),
        now: () => new Date(),
        onTrouble: () => undefined,
      }),
      ...options,
    });
  }

  sync(machine: Machine, options: UploadRunOptions = {}): UploadRun {
    return this.upload(machine, { changes: { trackDeletes: false }, ...options });
  }

  /** The same command once more: goes on with what is saved on the machine. */
  async again(machine: Machine, options: UploadRunOptions = {}): Promise<UploadRun> {
    const [uploadId = ''] = await savedUploads(machine.state).ids();
    const goesOn = await openSaved(machine.state, uploadId, HOST);
    const journal = new FileJournal({
      folder: machine.state,
      host: HOST,
      saved: savedCommand(this.source, this.base),
      now: () => new Date(),
      onTrouble: () => undefined,
      goesOn,
    });
    return this.upload(machine, { journal, resume: goesOn, ...options });
  }

  async prune(options: PruneRunOptions = {}): Promise<PruneRun> {
    return await pruneFolder(this.base, { datasetId: LAB, keep: { last: 1 }, ...options });
  }

  /** Everything in the store, and every mark, looks so many days older. */
  async age(days: number): Promise<void> {
    const moment = new Date(Date.now() - days * 86_400_000);
    for await (const { objects } of this.store.list())
      for (const { key } of objects) utimesSync(join(this.base, key), moment, moment);
  }

  /** What comes back of every version, by a machine that remembers nothing. @throws where one cannot be restored */
  async versions(): Promise<ReadonlyMap<number, Record<string, Described>>> {
    const trees = new Map<number, Record<string, Described>>();
    for (const { version } of await listVersions(this.store, LAB)) {
      const { uploadId } = await readVersion(this.store, { datasetId: LAB, version: version });
      trees.set(version, await restored(this.base, uploadId));
    }
    return trees;
  }

  /** What comes back of one upload. @throws where it cannot be restored */
  async restored(uploadId: string): Promise<Record<string, Described>> {
    return await restored(this.base, uploadId);
  }

  async listed(): Promise<readonly ListedVersion[]> {
    return await listVersions(this.store, LAB);
  }

  tree(source = this.source): Record<string, Described> {
    return describeTree(rawFromText(source));
  }

  async keys(): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { objects } of this.store.list()) keys.push(...objects.map(({ key }) => key));
    return keys;
  }
}

/** A put of a key like this takes effect, and its answer never comes. */
export const answerLost =
  (key: RegExp) =>
  <S extends ObjectStore>(store: S): S => ({
    ...store,
    put: async (name, body, options) => {
      const result = await store.put(name, body, options);
      if (key.test(name)) throw new Error('the answer was lost');
      return result;
    },
  });

/** A put of a key like this is acknowledged and has no effect. */
export const effectLost =
  (key: RegExp) =>
  <S extends ObjectStore>(store: S): S => ({
    ...store,
    put: async (name, body, options) => (key.test(name) ? { etag: 'lost' } : await store.put(name, body, options)),
  });

/** Does something ahead of the first put of a key like this. */
export function beforePut(
  key: RegExp,
  work: (name: string) => Promise<unknown>,
): <S extends ObjectStore>(store: S) => S {
  let isDone = false;
  return (store) => ({
    ...store,
    put: async (name, body, options) => {
      if (key.test(name) && !isDone) {
        isDone = true;
        await work(name);
      }
      return await store.put(name, body, options);
    },
  });
}

// An ObjectStore in a local folder: keys are files. Guarantees: an acknowledged write is on disk, and a key shows its old
// file, its new file or none. It has no storage classes and no encryption, and says so when one is asked for.
import { rmdir, unlink, type FileHandle, type link, type rename, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Dirent } from 'node:fs';
import { systemCode, undefinedOn } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { fileError } from './file-errors.js';
import { keyPath, TEMP_PREFIX } from './file-keys.js';
import { FileReader, ONLY_VERSION } from './file-reader.js';
import { modesOf, type FileModes } from './file-modes.js';
import { fileSystemTime } from './file-temp.js';
import { syncFolder } from '../../platform/state/sync-folder.js';
import { writeFully } from '../../platform/state/write-fully.js';
import { appendFrom, writeAtomically } from './file-write.js';
import type {
  DeleteFailure,
  PutOptions,
  PutResult,
  UnfinishedMultipart,
  WholeStore,
  WriteOptions,
} from '../object-store.js';
import { PACED_SLICE_BYTES, type Pace } from '../../platform/limits/pace.js';
import { StoreError, throwIfCancelled } from '../store-error.js';
import { checkKey } from '../store-url.js';

export interface FileStoreOptions {
  /** Permission bits of files that are written; by default only the owner may read them. */
  readonly storeMode?: number | undefined;
  readonly paceUpload?: Pace | undefined;
  /** `fs.link`; replaced in tests that act as a file system without hard links. */
  readonly link?: typeof link | undefined;
  /** `fs.rename`; replaced in tests that act as a slow file system. */
  readonly rename?: typeof rename | undefined;
}

/** Progress of a body is reported after this many bytes. */
const TOLD_SLICE_BYTES = 8 * 1024 * 1024;

function refuseOptions(options: WriteOptions): void {
  const refuse = (what: string): never => {
    throw new StoreError('unsupported', `a local folder has no ${what}; that needs an s3:// target`);
  };
  if (options.storageClass !== undefined && options.storageClass !== 'STANDARD')
    refuse(`storage class ${options.storageClass}`);
  if (options.kmsKeyId !== undefined) refuse('KMS encryption');
  if (options.retention !== undefined) refuse('Object Lock');
}

class FileStore {
  readonly #folder: string;
  readonly #options: FileStoreOptions;
  readonly #modes: FileModes;
  readonly #swept = new Set<string>();

  constructor(folder: string, options: FileStoreOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#modes = modesOf(options.storeMode);
  }

  async #write(
    key: string,
    fill: (handle: FileHandle) => Promise<void>,
    { ifAbsent, ifMatch, signal }: PutOptions = {},
  ): Promise<PutResult> {
    const path = keyPath(this.#folder, key);
    try {
      const { link: linkFile, rename: renameFile } = this.#options;
      const etag = await writeAtomically(path, fill, {
        ifAbsent,
        ifMatch,
        link: linkFile,
        rename: renameFile,
        signal,
        modes: this.#modes,
      });
      return { etag };
    } catch (error) {
      throw fileError(error, 'write', path);
    }
  }

  async #fill(handle: FileHandle, body: Uint8Array, { signal, onSent }: PutOptions): Promise<void> {
    const { paceUpload } = this.#options;
    signal?.throwIfAborted();
    const sliceBytes = paceUpload ? PACED_SLICE_BYTES : TOLD_SLICE_BYTES;
    for (let start = 0; start < body.byteLength; start += sliceBytes) {
      const slice = body.subarray(start, start + sliceBytes);
      await paceUpload?.(slice.byteLength, signal);
      await writeFully(handle, slice);
      onSent?.(start + slice.byteLength);
    }
  }

  async #delete(key: string): Promise<void> {
    const path = keyPath(this.#folder, key);
    try {
      await unlink(path);
      await this.#prune(dirname(path));
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return;
      throw fileError(error, 'delete', path);
    }
  }

  // Leftovers of killed writers are removed once, with the first keys that are deleted below the same top folder.
  async #sweep(keys: readonly string[]): Promise<void> {
    const askTime = this.#askTime();
    for (const top of new Set(keys.map((key) => key.slice(0, Math.max(0, key.indexOf('/')))))) {
      if (top === '' || this.#swept.has(top)) continue;
      this.#swept.add(top);
      const path = join(this.#folder, top);
      try {
        for await (const temp of tempsBelow(path))
          if (await removeStale(temp.path, askTime)) await this.#prune(dirname(temp.path));
      } catch (error) {
        throw fileError(error, 'delete', path);
      }
    }
  }

  #askTime(): AskTime {
    let time: Promise<Date> | undefined;
    return async () => {
      time ??= fileSystemTime(this.#folder, this.#modes);
      return (await time).getTime();
    };
  }

  // Temp files take the place of multipart uploads: bytes of a writer that may have ended, shown by no listing.
  async *#unfinished(prefix: string): AsyncGenerator<UnfinishedMultipart> {
    const top = join(this.#folder, prefix.slice(0, prefix.lastIndexOf('/') + 1));
    for await (const { path, sizeBytes, writtenAt } of tempsBelow(top)) {
      const key = path.slice(this.#folder.length + 1);
      if (key.startsWith(prefix)) yield { key, multipartId: ONLY_VERSION, startedAt: writtenAt, sizeBytes };
    }
  }

  async #abort(key: string): Promise<void> {
    const path = join(this.#folder, checkKey(key));
    if (!basename(path).startsWith(TEMP_PREFIX)) return;
    try {
      await unlink(path);
      await this.#prune(dirname(path));
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return;
      throw fileError(error, 'delete', path);
    }
  }

  async #deleteAll(keys: readonly string[], signal: AbortSignal | undefined): Promise<readonly DeleteFailure[]> {
    const failures: DeleteFailure[] = [];
    await this.#sweep(keys);
    for (const key of keys) {
      throwIfCancelled(signal);
      await this.#delete(key).catch((error: unknown) =>
        failures.push({ key, reason: error instanceof Error ? error.message : String(error) }),
      );
    }
    return failures;
  }

  // Removes folders that have become empty: keys have none, so folders that a write created go with their last key. The base itself stays.
  async #prune(folder: string): Promise<void> {
    if (folder === this.#folder || !folder.startsWith(`${this.#folder}/`)) return syncFolder(folder);
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    );
    await (isRemoved ? this.#prune(dirname(folder)) : syncFolder(folder));
  }

  toObjectStore(): WholeStore {
    const folder = this.#folder;
    const reader = new FileReader(folder);
    return {
      url: `file://${folder}`,
      get: (key, options) => reader.get(key, options),
      head: (key) => reader.head(key),
      time: async (signal) => {
        throwIfCancelled(signal);
        try {
          return await fileSystemTime(folder, this.#modes);
        } catch (error) {
          throw fileError(error, 'write', folder);
        }
      },
      list: (options) => reader.list(options),
      put: async (key, body, options = {}) => {
        refuseOptions(options);
        return await this.#write(key, (handle) => this.#fill(handle, body, options), options);
      },
      copy: async (fromKey, toKey, options = {}) => {
        refuseOptions(options);
        const from = keyPath(folder, fromKey);
        if ((await reader.head(fromKey)) === undefined)
          throw new StoreError('not-found', `cannot copy ${printable(from)}: there is no such file`);
        await this.#write(toKey, (handle) => appendFrom(from, handle, options.signal));
      },
      delete: (keys, signal) => this.#deleteAll(keys, signal),
      listVersions: (options) => reader.listVersions(options),
      deleteVersions: async (versions, signal) => {
        const failures = await this.#deleteAll(
          versions.filter(({ versionId }) => versionId === ONLY_VERSION).map(({ key }) => key),
          signal,
        );
        return failures.map((failure) => ({ ...failure, versionId: ONLY_VERSION }));
      },
      thaw: () =>
        Promise.reject(
          new StoreError(
            'unsupported',
            'nothing in a local folder is ever in cold storage; thawing needs an s3:// target',
          ),
        ),
      abortMultipart: (key) => this.#abort(key),
      listMultipart: (prefix) => this.#unfinished(prefix),
    };
  }
}

/** Opens a store in a folder, which is created by the first write. `folder` is absolute and has no trailing slash. */
export function fileStore(folder: string, options: FileStoreOptions = {}): WholeStore {
  return new FileStore(folder, options).toObjectStore();
}

// Age of temp files of killed writers. No listing shows them, so deleting keys below a folder removes them as well.

const STALE_MS = 86_400_000;

/** The file system's time in milliseconds, determined once and only when needed. */
type AskTime = () => Promise<number>;

interface Temp {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was last written to. */
  readonly writtenAt: Date;
}

/** Yields the temp files at any depth below `folder`. */
async function* tempsBelow(folder: string): AsyncGenerator<Temp> {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* tempsBelow(path);
    if (!entry.isFile() || !entry.name.startsWith(TEMP_PREFIX)) continue;
    const info = await stat(path).catch(ignoreBusy);
    if (info !== false) yield { path, sizeBytes: info.size, writtenAt: info.mtime };
  }
}

/** Reads a folder; empty if it is gone or not readable, since what it holds takes space but does no harm. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  const reading = readdir(folder, { withFileTypes: true });
  return (await reading.catch(undefinedOn('ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))) ?? [];
}

/** Removes a temp file that nobody wrote to for a day; false when it stays, or is gone already. */
async function removeStale(path: string, askTime: AskTime): Promise<boolean> {
  try {
    // The age is never taken by our clock: a computer whose clock is days ahead would remove what others are writing.
    if ((await askTime()) - (await stat(path)).mtimeMs < STALE_MS) return false;
    await unlink(path);
    return true;
  } catch (error) {
    return ignoreBusy(error);
  }
}

/** Returns false for expected failures: the folder holds something else, another process was faster, or there is no permission. */
function ignoreBusy(error: unknown): false {
  if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return false;
  throw error;
}

// An ObjectStore in a local folder: keys are files. Guarantees: an acknowledged write is on disk, and a key shows its old
// file, its new file or none. It keeps no metadata, tags or storage classes, and says so when one is asked for.
import type { BigIntStats } from 'node:fs';
import { open, rmdir, stat, unlink, type FileHandle, type link, type rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArchiverError, systemCode } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';
import { fileError } from './file-errors.js';
import { fileEtag } from './file-etag.js';
import { keyPath } from './file-keys.js';
import { walkKeys, type Listed } from './file-list.js';
import { modesOf, type FileModes } from './file-modes.js';
import { fileSystemTime, writeFully } from './file-temp.js';
import { syncFolder } from '../../state/sync-folder.js';
import { appendFrom, writeAtomically } from './file-write.js';
import type {
  ByteRange,
  DeleteFailure,
  GetOptions,
  ListOptions,
  ListPage,
  ListVersionsOptions,
  ObjectContent,
  ObjectInfo,
  ObjectStore,
  PutOptions,
  PutResult,
  VersionPage,
  WriteOptions,
} from '../object-store.js';
import { removeStaleTemps } from './stale-temps.js';
import { PACED_SLICE_BYTES, type Pace } from '../../limits/pace.js';
import { storeBody } from '../store-body.js';
import { StoreError, throwIfCancelled } from '../store-error.js';

export interface FileStoreOptions {
  /** Who may read what is written: permission bits of files; the owner alone when not given. */
  readonly storeMode?: number | undefined;
  readonly paceUpload?: Pace | undefined;
  /** `fs.link`, so that a test can be a file system without hard links. */
  readonly link?: typeof link | undefined;
  /** `fs.rename`, so that a test can be a slow one. */
  readonly rename?: typeof rename | undefined;
}

const PAGE_KEYS = 1000;
const ONLY_VERSION = 'null';
const STATS_AT_ONCE = 32;
const READ_BYTES = 1024 * 1024;
/** After so much is said how far a body is. */
const TOLD_SLICE_BYTES = 8 * 1024 * 1024;

const infoOf = (key: string, info: BigIntStats): ObjectInfo => ({
  key,
  sizeBytes: Number(info.size),
  etag: fileEtag(info),
  lastModified: new Date(Number(info.mtimeNs / 1_000_000n)),
  storageClass: 'STANDARD',
});

function refuseOptions(options: WriteOptions): void {
  const refuse = (what: string): never => {
    throw new StoreError('unsupported', `a local folder has no ${what}; that needs an s3:// target`);
  };
  if (options.storageClass !== undefined && options.storageClass !== 'STANDARD')
    refuse(`storage class ${options.storageClass}`);
  if (options.kmsKeyId !== undefined) refuse('KMS encryption');
  if (options.tags !== undefined && Object.keys(options.tags).length > 0) refuse('object tags');
}

function extentOf(
  path: string,
  totalBytes: number,
  range: ByteRange | undefined,
): { readonly start: number; readonly end: number } {
  if (range === undefined) return { start: 0, end: totalBytes };
  const start = 'suffix' in range ? Math.max(0, totalBytes - range.suffix) : range.start;
  const end = 'suffix' in range ? totalBytes : Math.min(range.end, totalBytes);
  if (!('suffix' in range) && (range.end <= range.start || range.start < 0)) {
    throw new ArchiverError('internal', `an empty range ${range.start}-${range.end} was asked for`);
  }
  if (start >= end) {
    throw new StoreError('integrity', `cannot read ${printable(path)}: it is shorter than the range asked for`, {
      reason: 'InvalidRange',
    });
  }
  return { start, end };
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

  async get(key: string, options: GetOptions = {}): Promise<ObjectContent> {
    const path = keyPath(this.#folder, key);
    let handle: FileHandle | undefined;
    try {
      options.signal?.throwIfAborted();
      // A FIFO in the folder would block an open for ever; it is no object either.
      if (!(await stat(path)).isFile())
        throw new StoreError('not-found', `cannot read ${printable(path)}: it is not a file`);
      handle = await open(path, 'r');
      return this.#content(handle, path, await handle.stat({ bigint: true }), options);
    } catch (error) {
      await handle?.close();
      throw this.#readError(error, path);
    }
  }

  #content(handle: FileHandle, path: string, info: BigIntStats, { range, ifMatch, signal }: GetOptions): ObjectContent {
    const etag = fileEtag(info);
    if (ifMatch !== undefined && ifMatch !== etag) {
      throw new StoreError('conflict', `cannot read ${printable(path)}: the file has changed`, {
        reason: 'PreconditionFailed',
      });
    }
    const totalBytes = Number(info.size);
    const { start, end } = extentOf(path, totalBytes, range);
    const sizeBytes = end - start;
    // An end of -1 would mean "everything": an empty file is read from its end.
    const source = handle.createReadStream({ start, end: Math.max(start, end - 1), highWaterMark: READ_BYTES });
    const body = storeBody(source, {
      sizeBytes,
      name: printable(path),
      mapError: (error) => fileError(error, 'read', path),
    });
    if (signal) {
      const stop = (): void => void body.destroy(fileError(signal.reason, 'read', path));
      signal.addEventListener('abort', stop, { once: true });
      body.once('close', () => signal.removeEventListener('abort', stop));
    }
    return { sizeBytes, totalBytes, start, etag, body };
  }

  // Nothing lies below a file, so a key there is simply missing.
  #readError(error: unknown, path: string): Error {
    if (systemCode(error) !== 'ENOTDIR') return fileError(error, 'read', path);
    return new StoreError('not-found', `cannot read ${printable(path)}: there is no such file`, { cause: error });
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const path = keyPath(this.#folder, key);
    try {
      const info = await stat(path, { bigint: true });
      return info.isFile() ? infoOf(key, info) : undefined;
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
      throw fileError(error, 'read', path);
    }
  }

  async *list(options: ListOptions = {}): AsyncGenerator<ListPage> {
    const { prefix = '', delimiter, startAfter: after = '', signal } = options;
    let lines: Listed[] = [];
    let pages = 0;
    try {
      for await (const line of walkKeys(this.#folder, { prefix, isFolded: delimiter !== undefined, after, signal })) {
        lines.push(line);
        if (lines.length < PAGE_KEYS) continue;
        yield await this.#page(lines);
        pages += 1;
        lines = [];
      }
      if (lines.length > 0 || pages === 0) yield await this.#page(lines);
    } catch (error) {
      throw fileError(error, 'list', this.#folder);
    }
  }

  // A folder keeps no versions: each file is the only one of its key.
  async *listVersions({ prefix = '', after, signal }: ListVersionsOptions = {}): AsyncGenerator<VersionPage> {
    const startAfter = after === undefined ? {} : { startAfter: after.key };
    let held: ListPage | undefined;
    const page = ({ objects }: ListPage, isLast: boolean): VersionPage => {
      const last = objects.at(-1);
      const versions = objects.map(({ key, sizeBytes }) => {
        return { key, versionId: ONLY_VERSION, sizeBytes, isCurrent: true, isDeleteMarker: false };
      });
      return {
        versions,
        ...(isLast || last === undefined ? {} : { next: { key: last.key, versionId: ONLY_VERSION } }),
      };
    };
    for await (const listed of this.list({ prefix, ...startAfter, ...(signal === undefined ? {} : { signal }) })) {
      // A page whose files have all just been removed tells no place to go on from.
      if (held !== undefined && held.objects.length > 0) yield page(held, false);
      held = listed;
    }
    if (held !== undefined) yield page(held, true);
  }

  async #page(lines: readonly Listed[]): Promise<ListPage> {
    const keys = lines.filter(({ isFolder }) => !isFolder).map(({ key }) => key);
    const objects: ObjectInfo[] = [];
    for (let start = 0; start < keys.length; start += STATS_AT_ONCE) {
      const infos = await Promise.all(keys.slice(start, start + STATS_AT_ONCE).map((key) => this.#listed(key)));
      objects.push(...infos.filter((info) => info !== undefined));
    }
    return { objects, prefixes: lines.filter(({ isFolder }) => isFolder).map(({ key }) => key) };
  }

  // By path and not by key: a foreign file may have a name that this store would not give.
  async #listed(key: string): Promise<ObjectInfo | undefined> {
    const info = await stat(join(this.#folder, key), { bigint: true }).catch(() => undefined);
    return info && infoOf(key, info);
  }

  async #write(
    key: string,
    fill: (handle: FileHandle) => Promise<void>,
    { ifAbsent, ifMatch, signal }: PutOptions = {},
  ): Promise<PutResult> {
    const path = keyPath(this.#folder, key);
    try {
      const { link: linkFile, rename: renameFile } = this.#options;
      await writeAtomically(path, fill, {
        ifAbsent,
        ifMatch,
        link: linkFile,
        rename: renameFile,
        signal,
        modes: this.#modes,
      });
      return { etag: fileEtag(await stat(path, { bigint: true })) };
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

  // What killed writers left goes once, with the first keys that are deleted below the same top folder.
  async #sweep(keys: readonly string[]): Promise<void> {
    let time: Promise<Date> | undefined;
    const askTime = async (): Promise<number> => {
      time ??= fileSystemTime(this.#folder, this.#modes);
      return (await time).getTime();
    };
    for (const top of new Set(keys.map((key) => key.slice(0, Math.max(0, key.indexOf('/')))))) {
      if (top === '' || this.#swept.has(top)) continue;
      this.#swept.add(top);
      const path = join(this.#folder, top);
      await removeStaleTemps(path, askTime).catch((error: unknown) => {
        throw fileError(error, 'delete', path);
      });
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

  // Keys have no folders; those that a write made disappear with their last key. The base itself stays.
  async #prune(folder: string): Promise<void> {
    if (folder === this.#folder || !folder.startsWith(`${this.#folder}/`)) return syncFolder(folder);
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    );
    await (isRemoved ? this.#prune(dirname(folder)) : syncFolder(folder));
  }

  toObjectStore(): ObjectStore {
    const folder = this.#folder;
    return {
      url: `file://${folder}`,
      get: (key, options) => this.get(key, options),
      head: (key) => this.head(key),
      time: async (signal) => {
        throwIfCancelled(signal);
        try {
          return await fileSystemTime(folder, this.#modes);
        } catch (error) {
          throw fileError(error, 'write', folder);
        }
      },
      list: (options) => this.list(options),
      put: async (key, body, options = {}) => {
        refuseOptions(options);
        return await this.#write(key, (handle) => this.#fill(handle, body, options), options);
      },
      copy: async (fromKey, toKey, options = {}) => {
        refuseOptions(options);
        const from = keyPath(folder, fromKey);
        if ((await this.head(fromKey)) === undefined)
          throw new StoreError('not-found', `cannot copy ${printable(from)}: there is no such file`);
        await this.#write(toKey, (handle) => appendFrom(from, handle, options.signal));
      },
      delete: (keys, signal) => this.#deleteAll(keys, signal),
      listVersions: (options) => this.listVersions(options),
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
      // A file is written under a temporary name and renamed: there are no uploads in parts.
      abortMultipart: () => Promise.resolve(),
      // oxlint-disable-next-line require-yield -- an empty listing
      listMultipart: async function* () {},
    };
  }
}

/** A store in the folder, which is made by the first write. `folder` is absolute and has no trailing slash. */
export function fileStore(folder: string, options: FileStoreOptions = {}): ObjectStore {
  return new FileStore(folder, options).toObjectStore();
}

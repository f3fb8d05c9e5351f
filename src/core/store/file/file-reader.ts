// The reading half of a store in a local folder: keys are files, and each file is the only version of its key.
import { setMaxListeners } from 'node:events';
import type { BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type {
  ByteRange,
  GetOptions,
  ListOptions,
  ListPage,
  ListVersionsOptions,
  ObjectContent,
  ObjectInfo,
  ObjectStore,
  VersionPage,
} from '../object-store.js';
import { storeBody } from '../store-body.js';
import { StoreError } from '../store-error.js';
import { fileError } from './file-errors.js';
import { fileEtag } from './file-etag.js';
import { keyPath } from './file-keys.js';
import { walkKeys, type Listed } from './file-list.js';

/** The version id of every file. */
export const ONLY_VERSION = 'null';
const PAGE_KEYS = 1000;
const STATS_AT_ONCE = 32;
const READ_BYTES = 1024 * 1024;

const writtenAt = (info: BigIntStats): Date => new Date(Number(info.mtimeNs / 1_000_000n));

const infoOf = (key: string, info: BigIntStats): ObjectInfo => ({
  key,
  sizeBytes: Number(info.size),
  etag: fileEtag(info),
  lastModified: writtenAt(info),
  storageClass: 'STANDARD',
});

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

/** Reads and lists what is in the folder. */
export class FileReader implements Pick<ObjectStore, 'get' | 'head' | 'list' | 'listVersions'> {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(key: string, options: GetOptions = {}): Promise<ObjectContent> {
    const path = keyPath(this.#folder, key);
    let handle: FileHandle | undefined;
    try {
      options.signal?.throwIfAborted();
      // Opening a FIFO would block for ever; it is no object either.
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
    // An end of -1 would mean "everything", so an empty file is read from its end.
    const source = handle.createReadStream({ start, end: Math.max(start, end - 1), highWaterMark: READ_BYTES });
    const body = storeBody(source, {
      sizeBytes,
      name: printable(path),
      mapError: (error) => fileError(error, 'read', path),
    });
    if (signal) {
      setMaxListeners(0, signal); // every content that is being read adds a listener, which is no leak
      const stop = (): void => void body.destroy(fileError(signal.reason, 'read', path));
      signal.addEventListener('abort', stop, { once: true });
      body.once('close', () => signal.removeEventListener('abort', stop));
    }
    return { sizeBytes, totalBytes, start, etag, lastModified: writtenAt(info), body };
  }

  // There is nothing below a file, so a key there is simply missing.
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
    let held: ListPage | undefined;
    const page = ({ objects }: ListPage, isLast: boolean): VersionPage => {
      const last = objects.at(-1);
      const versions = objects.map(({ key, sizeBytes, storageClass, lastModified }) => {
        const is = { isCurrent: true, isDeleteMarker: false };
        return { key, versionId: ONLY_VERSION, sizeBytes, storageClass, lastModified, ...is };
      });
      return {
        versions,
        ...(isLast || last === undefined ? {} : { next: { key: last.key, versionId: ONLY_VERSION } }),
      };
    };
    for await (const listed of this.list({ prefix, startAfter: after?.key, signal })) {
      // A page whose files have all just been removed does not say where to continue.
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

  // By path and not by key: a file of another program may have a name that this store would not use.
  async #listed(key: string): Promise<ObjectInfo | undefined> {
    const info = await stat(join(this.#folder, key), { bigint: true }).catch(() => undefined);
    return info && infoOf(key, info);
  }
}

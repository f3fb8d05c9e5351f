// Finds the versions that hold a file. Looking into a version costs reading its manifest, so only the newest ones are searched, and only
// when manifests are small or have an index; those that were read whole are kept for the next file.
import type { Entry, VersionRecord } from '../../format/manifest/manifest-types.js';
import { rangesOfPath } from '../../format/manifest/path-range.js';
import { createSelection } from '../../format/manifest/selection.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { textFromRaw, type RawPath } from '../../platform/paths/raw-path.js';
import { loadChain, loadExpected } from './load-chain.js';
import { memoryCache } from '../cache/memory-cache.js';
import { digestsOf } from './version-view.js';
import { listVersions, readVersions } from '../records/versions.js';
import { viewOf } from './view.js';
import { type VersionName } from '../records/version-name.js';

/** A version, and whether it has the file. */
export interface HeldBy extends VersionName {
  readonly content: 'same' | 'other' | 'none';
  readonly sizeBytes: number;
}

/** The versions, newest first, or the reason why they are not known. */
export type FileHistory =
  | { readonly kind: 'known'; readonly versions: readonly HeldBy[] }
  | { readonly kind: 'none'; readonly reason: string };

const MOST_VERSIONS = 12;
const MOST_ENTRIES = 100_000;
const KEPT_BYTES = 64 * 2 ** 20;

/** Looks up files in the versions of one dataset. */
export class FileHistories {
  private records: Promise<readonly VersionRecord[]> | undefined;
  private readonly cache = memoryCache(KEPT_BYTES);

  constructor(
    private readonly reader: ObjectReader,
    private readonly datasetId: string,
  ) {}

  /** The history of a file in the newest versions. @throws what reading throws; cancelled */
  async of(file: Entry, signal: AbortSignal): Promise<FileHistory> {
    const records = await this.newest(signal);
    const isLarge = records.some(({ totals }) => totals.entries > MOST_ENTRIES);
    if (isLarge && !records.some(({ manifestIndex }) => manifestIndex !== undefined))
      return { kind: 'none', reason: 'not looked up in large manifests' };
    const versions: HeldBy[] = [];
    for (const record of records) {
      throwIfCancelled(signal);
      const found = await this.find(file.path, record, signal);
      const content = found === undefined ? 'none' : isSame(found, file) ? 'same' : 'other';
      versions.push({ version: record.version, fork: record.fork, content, sizeBytes: found?.size ?? 0 });
    }
    return { kind: 'known', versions };
  }

  private newest(signal: AbortSignal): Promise<readonly VersionRecord[]> {
    this.records ??= this.readNewest(signal).catch((error: unknown) => {
      this.records = undefined;
      throw error;
    });
    return this.records;
  }

  private async readNewest(signal: AbortSignal): Promise<readonly VersionRecord[]> {
    const { reader, datasetId } = this;
    const listed = (await listVersions(reader, datasetId, signal)).slice(-MOST_VERSIONS).toReversed();
    const read = await readVersions(reader, listed, signal);
    return read.flatMap((found) => ('record' in found ? [found.record] : []));
  }

  private async find(path: RawPath, record: VersionRecord, signal: AbortSignal): Promise<Entry | undefined> {
    const options = { cache: this.cache, ranges: rangesOfPath(path), signal };
    const newest = await loadExpected(this.reader, record.uploadId, digestsOf(record), options);
    const chain = await loadChain(this.reader, newest, options);
    const text = textFromRaw(path);
    const { needles } = createSelection(text === undefined ? { paths: [path] } : { files: [text] });
    for await (const batch of viewOf(chain, { needles, withoutNames: true }).entries()) {
      throwIfCancelled(signal);
      const found = batch.find((entry) => entry.path === path);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const isSame = (a: Entry, b: Entry): boolean =>
  a.type === b.type &&
  a.size === b.size &&
  a.target === b.target &&
  (a.md5 === undefined || b.md5 === undefined
    ? a.mtime.seconds === b.mtime.seconds && a.mtime.nanos === b.mtime.nanos
    : a.md5 === b.md5);

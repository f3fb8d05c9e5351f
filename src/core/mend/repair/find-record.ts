// Finds the version record that names an upload by reading records, newest first. Also gives the rest of its dataset: later versions, which
// may build on it, and earlier ones, including retired ones, whose folders may hold chunks that it refers to.
import { digestsOf } from '../../dataset/chain/version-view.js';
import { listDatasets, type ListedVersion, readOrdinals, type ReadRecord } from '../../dataset/records/versions.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const READS_AT_ONCE = 16;

export type FoundRecord = ReadRecord;

/** A version, or the tombstone of a retired one. */
export interface OlderUpload {
  readonly uploadId: UploadId;
  /** Digests that its manifest may have; empty when no record is left. */
  readonly sha256: readonly string[];
  readonly isRetired: boolean;
}

/** Reads the records under `datasets/`, as far as needed. */
export class RecordSearch {
  /** The record of the upload's version. */
  found: FoundRecord | undefined;
  /** Later versions of its dataset, oldest first. */
  newer: readonly FoundRecord[] = [];
  /** Number of records that could not be read: the one searched for may be among them. */
  unreadable = 0;
  private before: readonly ListedVersion[] = [];

  private constructor(
    private readonly reader: ObjectReader,
    private readonly datasets: ReadonlyMap<string, readonly ListedVersion[]>,
    private readonly signal: AbortSignal,
  ) {}

  /** Searches for the record that names this upload. @throws errors of the store */
  static async of(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<RecordSearch> {
    const search = new RecordSearch(reader, (await listDatasets(reader, signal)).ordinals, signal);
    await search.find(uploadId);
    return search;
  }

  /** Number of datasets under the base. */
  get datasetCount(): number {
    return this.datasets.size;
  }

  private async find(uploadId: UploadId): Promise<void> {
    for (const listed of this.datasets.values()) {
      const newer: FoundRecord[] = [];
      for (let end = listed.length; end > 0; end -= READS_AT_ONCE) {
        const start = Math.max(0, end - READS_AT_ONCE);
        const batch = listed.slice(start, end).toReversed();
        for (const read of await this.read(batch)) {
          if ('retired' in read) continue;
          if ('problem' in read) this.unreadable += 1;
          else if (read.record.uploadId !== uploadId) newer.unshift(read);
          else {
            this.found = read;
            this.newer = newer;
            this.before = listed.slice(0, listed.indexOf(read.listed));
            return;
          }
        }
      }
    }
  }

  /** Returns the uploads of earlier versions of the dataset, newest first. @throws errors of the store */
  async older(): Promise<readonly OlderUpload[]> {
    const older: OlderUpload[] = [];
    for (const read of await this.read(this.before.toReversed())) {
      if ('retired' in read) older.push({ uploadId: read.retired, sha256: [], isRetired: true });
      else if (!('problem' in read))
        older.push({ uploadId: read.record.uploadId, sha256: digestsOf(read.record), isRetired: false });
    }
    return older;
  }

  /** Returns the other versions of the dataset, oldest first. @throws errors of the store */
  async others(): Promise<readonly FoundRecord[]> {
    const before = await this.read(this.before);
    return [...before.filter((read): read is FoundRecord => 'record' in read), ...this.newer];
  }

  /** Returns every upload that is, or was, a version of some dataset. @throws errors of the store */
  async claimed(): Promise<ReadonlySet<string>> {
    const claimed = new Set<string>();
    for (const listed of this.datasets.values()) {
      for (const read of await this.read(listed)) {
        if ('retired' in read) claimed.add(read.retired);
        else if (!('problem' in read)) claimed.add(read.record.uploadId);
      }
    }
    return claimed;
  }

  private async read(
    listed: readonly ListedVersion[],
  ): Promise<readonly (FoundRecord | { readonly problem: true } | { readonly retired: UploadId })[]> {
    return (await readOrdinals(this.reader, listed, this.signal)).map((found) => {
      if ('tombstone' in found) return { retired: found.tombstone.uploadId };
      return 'problem' in found ? { problem: true } : found;
    });
  }
}

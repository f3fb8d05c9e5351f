// The listings of versions that requests have asked for. The least recently used ones go when there are many, or when they hold much.
import type { VersionRecord } from '../format/manifest/manifest-types.js';
import { isArchiverError } from '../platform/failures/errors.js';
import { digestsOf } from '../dataset/chain/version-view.js';
import { LazyListing, type LazySizes } from '../restore/listing/lazy-listing.js';
import type { ObjectReader } from '../store/object-store.js';
import type { UploadId } from '../store/ids/upload-id.js';

/** Listings that are kept open. */
const MOST_OPEN = 16;
/** Entries of all of them: some 300 MB. */
const MOST_ENTRIES = 2_000_000;

export class OpenVersions {
  /** The most recently used last. */
  private readonly open = new Map<UploadId, { readonly lazy: Promise<LazyListing>; count: number }>();

  constructor(
    private readonly reader: ObjectReader,
    private readonly signal: AbortSignal,
    private readonly sizes?: LazySizes,
  ) {}

  /**
   * Does `work` with the listing of a version. A listing that was replaced in the store, or has become too large to keep, is opened anew once.
   * @throws what opening and `work` throw
   */
  async use<T>(record: VersionRecord, work: (lazy: LazyListing) => Promise<T>): Promise<T> {
    try {
      return await this.once(record, work);
    } catch (error) {
      if (!isArchiverError(error, 'conflict', 'unsupported') || !this.open.has(record.uploadId)) throw error;
      this.open.delete(record.uploadId);
      return await this.once(record, work);
    }
  }

  private async once<T>(record: VersionRecord, work: (lazy: LazyListing) => Promise<T>): Promise<T> {
    const { uploadId } = record;
    const options = { uploadId, sha256: digestsOf(record), signal: this.signal };
    const known = this.open.get(uploadId) ?? { lazy: LazyListing.open(this.reader, options, this.sizes), count: 0 };
    this.open.delete(uploadId);
    this.open.set(uploadId, known);
    const lazy = await known.lazy.catch((error: unknown) => {
      if (this.open.get(uploadId) === known) this.open.delete(uploadId);
      throw error;
    });
    const result = await work(lazy);
    known.count = lazy.listing.count;
    this.closeOthers(uploadId);
    return result;
  }

  /** Has the next request read the listing of an upload anew: chunks that it names are gone. */
  forget(uploadId: UploadId): void {
    this.open.delete(uploadId);
  }

  private closeOthers(used: UploadId): void {
    let entries = [...this.open.values()].reduce((sum, { count }) => sum + count, 0);
    for (const [uploadId, { count }] of this.open) {
      if (this.open.size <= MOST_OPEN && entries <= MOST_ENTRIES) return;
      if (uploadId === used) continue;
      this.open.delete(uploadId);
      entries -= count;
    }
  }
}

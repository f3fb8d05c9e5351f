// Reads an upload into a listing: its manifest, or the view of its chain.
import { type ReadView, readView } from '../../dataset/chain/read-view.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { EventSink } from '../../events/events.js';
import type { ForeignEntry } from '../../format/manifest/entry-json-parse.js';
import { placeProblem } from '../../format/manifest/manifest-check.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { openTable, TableBuilder } from '../plan/selected-table.js';
import { type Interned, type ListedPart, Listing, type RefusedEntry } from './listing.js';
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';

export interface LoadListingOptions {
  readonly uploadId: UploadId;
  /** Digests that the manifest may have, if a version record names them. */
  readonly sha256?: ExpectedDigests | undefined;
  readonly cache?: ManifestCache | undefined;
  readonly emit?: EventSink | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Loads everything that an upload lists. @throws what `readView` throws; integrity for one that is not in path order */
export async function loadListing(reader: ObjectReader, options: LoadListingOptions): Promise<Listing> {
  const { uploadId, sha256, cache, emit, signal } = options;
  const columns = new ListingColumns();
  const read = await readView(reader, {
    uploadId,
    withoutNames: true,
    onHead: ({ head }) => (columns.chunks = head.chunks),
    onEntry: (entry) => columns.take(entry),
    onRows: (batch) => columns.takeRows(batch),
    onForeign: (entry) => columns.refuse(entry),
    emit,
    sha256,
    cache,
    signal,
  });
  return columns.listing(read);
}

/** Entries as they come, to be made a listing. */
export class ListingColumns {
  chunks: readonly ChunkRecord[] = [];
  private readonly builder = new TableBuilder();
  private readonly stages = new InternedColumn();
  private readonly commits = new InternedColumn();
  readonly refused: RefusedEntry[] = [];

  take(entry: Entry): void {
    const reason = pathProblem(entry.path) ?? placeProblem(entry, this.chunks);
    if (reason !== undefined) {
      this.refused.push({ path: entry.path, reason });
      return;
    }
    const index = this.builder.add(entry);
    if (entry.stage !== undefined) this.stages.set(index, entry.stage);
    if (entry.commit !== undefined) this.commits.set(index, entry.commit);
  }

  /** Takes plain files and folders, which are at no stage. */
  takeRows(batch: RowBatch): void {
    this.builder.addRows(batch);
  }

  refuse({ path, foreignType }: ForeignEntry): void {
    this.refused.push({ path, reason: `entries of type '${displayPath(foreignType)}' are not known` });
  }

  /** A listing of what has come; `part` says what of the upload that is, undefined for all. */
  listing({ head }: Pick<ReadView, 'head'>, part?: ListedPart): Listing {
    const data = this.builder.data();
    return new Listing({
      head,
      table: openTable(data),
      extras: this.builder.extras,
      paths: Buffer.from(data.paths),
      stages: this.stages,
      commits: this.commits,
      refused: this.refused,
      part,
    });
  }
}

/** A column that grows as texts are added; it takes no memory for entries after the last one with a text. */
class InternedColumn implements Interned {
  readonly values: string[] = [];
  column = new Uint32Array(0);
  private readonly numbers = new Map<string, number>();

  set(index: number, text: string): void {
    if (index >= this.column.length) {
      const larger = new Uint32Array(Math.max(1024, index * 2));
      larger.set(this.column);
      this.column = larger;
    }
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.values.push(text);
      this.numbers.set(text, number);
    }
    this.column[index] = number;
  }
}

// Reads the manifest of an upload, or the view that it stands for, into a listing.
import { type ReadView, readView } from '../dataset/chain/read-view.js';
import type { ManifestCache } from '../dataset/cache/manifest-cache.js';
import { integrityError } from '../failures/errors.js';
import type { EventSink } from '../events.js';
import { ignoreEvents, progressMeter } from '../progress-meter.js';
import { placeProblem } from '../manifest/manifest-check.js';
import type { ChunkRecord, Entry } from '../manifest/manifest-types.js';
import { pathProblem } from '../paths/path-rules.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { displayPath } from '../paths/raw-path.js';
import { openTable, TableBuilder } from '../restore/plan/selected-table.js';
import { type Interned, Listing, type RefusedEntry } from './listing.js';

/** How much of a manifest is read. */
export interface LoadProgress {
  readonly storedBytes: number;
  readonly ofStoredBytes: number;
  readonly entries: number;
  readonly ofEntries: number;
}

export interface LoadListingOptions {
  readonly uploadId: string;
  /** Digests that the manifest may have, where a version record names them. */
  readonly sha256?: readonly string[];
  readonly cache?: ManifestCache;
  /** Called now and then while the manifest is read. */
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly emit?: EventSink | undefined;
  readonly signal?: AbortSignal;
}

export interface LoadedListing {
  readonly listing: Listing;
  readonly read: ReadView;
}

/** Loads everything that an upload lists. @throws what `readView` throws; integrity for one that is not in path order */
export async function loadListing(reader: ObjectReader, options: LoadListingOptions): Promise<LoadedListing> {
  const { uploadId, sha256, cache, onProgress, emit = ignoreEvents, signal } = options;
  const meter = progressMeter(emit);
  let told = 0;
  emit({ type: 'phase', phase: 'reading' });
  const columns = new ListingColumns();
  let total = 0;
  const read = await readView(reader, {
    uploadId,
    withoutNames: true,
    onHead: ({ head }) => {
      columns.chunks = head.chunks;
      total = (head.view ?? head.totals).entries;
      emit({ type: 'plan', items: total, bytes: 0 });
    },
    onEntry: (entry) => columns.take(entry),
    onPiece: (storedBytes, ofStoredBytes) => {
      onProgress?.({ storedBytes, ofStoredBytes, entries: columns.count, ofEntries: total });
      meter.add(columns.count - told, 0);
      told = columns.count;
    },
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(cache === undefined ? {} : { cache }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (read.firstUnordered !== undefined)
    throw integrityError(`the manifest ${read.key} is not in path order at ${displayPath(read.firstUnordered)}`, {
      hint: `archiver verify ${reader.url}/uploads/${uploadId}`,
    });
  return { listing: columns.listing(read), read };
}

class ListingColumns {
  chunks: readonly ChunkRecord[] = [];
  count = 0;
  private readonly builder = new TableBuilder();
  private readonly stages = new InternedColumn();
  private readonly commits = new InternedColumn();
  private readonly refused: RefusedEntry[] = [];

  take(entry: Entry): void {
    const reason = pathProblem(entry.path) ?? placeProblem(entry, this.chunks);
    if (reason !== undefined) {
      this.refused.push({ path: entry.path, reason });
      return;
    }
    this.count++;
    const index = this.builder.add(entry);
    if (entry.stage !== undefined) this.stages.set(index, entry.stage);
    if (entry.commit !== undefined) this.commits.set(index, entry.commit);
  }

  listing({ head }: ReadView): Listing {
    const data = this.builder.data();
    return new Listing({
      head,
      table: openTable(data),
      extras: this.builder.extras,
      paths: Buffer.from(data.paths),
      stages: this.stages,
      commits: this.commits,
      refused: this.refused,
    });
  }
}

/** Grows as texts come; nothing is held for entries without one. */
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

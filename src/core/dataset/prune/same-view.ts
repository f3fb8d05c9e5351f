// Checks that two views are the same archive: every entry, in order, with everything that is recorded of it, in the same stored chunks.
// Positions of chunks and numbers of hard-link groups may differ; what they refer to may not.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { integrityError } from '../../platform/failures/errors.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, Entry, Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { aroundChunk } from '../../format/rows/row-text.js';
import { isRows } from '../../format/rows/row-lines.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { batchesOf, type EntryBatch, type MergedView } from '../chain/merged-view.js';
import { openView } from '../chain/view.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

export interface ComparedView extends MergedView {
  /** The upload that the keys of its chunks are relative to. */
  readonly uploadId: UploadId;
}

export interface ExpectedView extends ComparedView {
  /** Digest of the manifest that should have this view. */
  readonly sha256: string;
  readonly totals: Totals;
}

/**
 * Reads a rewritten manifest as readers will, and compares. `reader` returns it under its final key.
 * @throws integrity when it is another archive, and what reading throws
 */
export async function assertShows(reader: ObjectReader, expected: ExpectedView, signal: AbortSignal): Promise<void> {
  const { uploadId, sha256, totals } = expected;
  const found = await openView(reader, { uploadId, sha256, signal });
  const what = `the rewritten ${manifestKeyOf(uploadId)}`;
  if (JSON.stringify(found.totals) !== JSON.stringify(totals)) throw integrityError(`${what} has other totals`);
  await assertSameView(expected, { ...found, uploadId }, what);
}

/** Compares both views entry by entry. @throws integrity naming the first path at which they differ */
export async function assertSameView(expected: ComparedView, found: ComparedView, what: string): Promise<void> {
  const [wanted, given] = [new Lines(expected), new Lines(found)];
  const groups = new LinkGroups();
  for (;;) {
    await passSameRows(wanted, given);
    const [a, b] = [wanted.next(), given.next()];
    if (a === undefined && b === undefined) return;
    const isSame =
      a !== undefined &&
      b !== undefined &&
      isSamePlace(wanted.placesOf(a), given.placesOf(b)) &&
      hasSameValues(a, b, PLACED) &&
      groups.fit(a.linkGroup, b.linkGroup);
    if (isSame) continue;
    const path = displayPath(a?.path ?? b?.path ?? TOP);
    throw integrityError(`${what} differs from the manifests that it replaces: ${path}`);
  }
}

/** Passes rows that are the same on both sides: their text says everything of an entry but what its chunk is. */
async function passSameRows(wanted: Lines, given: Lines): Promise<void> {
  for (;;) {
    if (wanted.isDrained) await wanted.refill();
    if (given.isDrained) await given.refill();
    const [a, b] = [wanted.line, given.line];
    if (a === undefined || b === undefined || wanted.place !== given.place) return;
    const [ours, theirs] = [aroundChunk(a), aroundChunk(b)];
    if (ours[0] !== theirs[0] || ours[1] !== theirs[1]) return;
    wanted.pass();
    given.pass();
  }
}

/** Maps hard-link groups of one view to those of the other, one to one. */
class LinkGroups {
  private readonly counterparts = new Map<number, number>();
  private readonly taken = new Set<number>();

  fit(ours: number | undefined, other: number | undefined): boolean {
    if (ours === undefined || other === undefined) return ours === other;
    const known = this.counterparts.get(ours);
    if (known !== undefined) return known === other;
    if (this.taken.has(other)) return false;
    this.counterparts.set(ours, other);
    this.taken.add(other);
    return true;
  }
}

/** What is compared by what it refers to. */
const PLACED: ReadonlySet<string> = new Set(['chunk', 'segments', 'linkGroup'] satisfies (keyof Entry)[]);
const NOTHING: ReadonlySet<string> = new Set();

/**
 * Whether both have the same own values but for those `except`: what `isDeepStrictEqual` says of entries, in a tenth of the time. Whatever
 * is not plain is left to that.
 */
function hasSameValues(a: object, b: object, except: ReadonlySet<string>): boolean {
  let left = 0;
  for (const key in b) if (!except.has(key)) left++;
  for (const key in a) {
    if (except.has(key)) continue;
    if (!Object.hasOwn(b, key)) return false;
    if (!isSameValue(a[key as keyof typeof a], b[key as keyof typeof b])) return false;
    left--;
  }
  return left === 0;
}

function isSameValue(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null) return Object.is(a, b);
  return isPlain(a) && typeof b === 'object' && b !== null && isPlain(b)
    ? hasSameValues(a, b, NOTHING)
    : isDeepStrictEqual(a, b);
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** The chunk of an entry, or its pieces, as texts. */
type Places = string | readonly string[];

const isSamePlace = (a: Places, b: Places): boolean =>
  typeof a === 'string' || typeof b === 'string' ? a === b : isDeepStrictEqual(a, b);

class Lines {
  private readonly batches: AsyncIterator<EntryBatch>;
  private readonly places: readonly string[];
  private entries: readonly Entry[] = [];
  private rows: RowBatch | undefined;
  private index = 0;
  private isEnded = false;

  constructor(view: ComparedView) {
    this.batches = batchesOf(view)[Symbol.asyncIterator]();
    this.places = view.chunks.map((chunk) => placeOf(view.uploadId, chunk));
  }

  /** True when the next entry is only known after `refill`. */
  get isDrained(): boolean {
    return this.index >= (this.rows?.count ?? this.entries.length) && !this.isEnded;
  }

  async refill(): Promise<void> {
    while (this.isDrained) {
      const { done, value } = await this.batches.next();
      this.isEnded = done === true;
      const batch: EntryBatch = done === true ? [] : value;
      this.rows = isRows(batch) ? batch : undefined;
      this.entries = isRows(batch) ? [] : batch;
      this.index = 0;
    }
  }

  /** Undefined at the end. */
  next(): Entry | undefined {
    const at = this.index++;
    return this.rows === undefined ? this.entries[at] : this.rows.entry(at);
  }

  /** The text of the next entry, where that is a row. */
  get line(): RawPath | undefined {
    return this.rows !== undefined && this.index < this.rows.count ? this.rows.line(this.index) : undefined;
  }

  /** The chunk of that row; empty for none. */
  get place(): string {
    return this.places[this.rows?.chunk[this.index] ?? -1] ?? '';
  }

  /** Passes that row. */
  pass(): void {
    this.index++;
  }

  placesOf({ chunk, segments }: Entry): Places {
    const place = (position: number): string => this.places[position] ?? `no chunk ${position}`;
    const whole = chunk === undefined ? '' : place(chunk);
    return segments === undefined
      ? whole
      : [whole, ...segments.map((part) => `${place(part.chunk)} ${part.offset} ${part.size}`)];
  }
}

/** A text that is equal for chunks that are the same to a reader. */
function placeOf(uploadId: UploadId, { key, ...record }: ChunkRecord): string {
  const fields = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([chunkKey(uploadId, key), fields]), 'hex');
}

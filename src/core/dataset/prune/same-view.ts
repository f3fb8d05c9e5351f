// Checks that two views are the same archive: every entry, in order, with everything that is recorded of it, in the same stored chunks.
// Positions of chunks and numbers of hard-link groups may differ; what they refer to may not.
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { integrityError } from '../../platform/failures/errors.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord, Entry, Totals } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath, TOP } from '../../platform/paths/raw-path.js';
import type { MergedView } from '../chain/merged-view.js';
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
  const { chunks } = found;
  await assertSameView(expected, { uploadId, chunks, entries: () => found.entries() }, what);
}

/** Compares both views entry by entry. @throws integrity naming the first path at which they differ */
export async function assertSameView(expected: ComparedView, found: ComparedView, what: string): Promise<void> {
  const [wanted, given] = [new Lines(expected), new Lines(found)];
  const groups = new LinkGroups();
  for (;;) {
    const [a, b] = [await wanted.next(), await given.next()];
    if (a === undefined && b === undefined) return;
    const isSame =
      a !== undefined &&
      b !== undefined &&
      a.places === b.places &&
      isDeepStrictEqual(a.others, b.others) &&
      groups.fit(a.linkGroup, b.linkGroup);
    if (isSame) continue;
    const path = displayPath(a?.others.path ?? b?.others.path ?? TOP);
    throw integrityError(`${what} differs from the manifests that it replaces: ${path}`);
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

interface ComparedEntry {
  readonly others: Omit<Entry, 'chunk' | 'segments' | 'linkGroup'>;
  /** Equal for the same places in the same chunks. */
  readonly places: string;
  readonly linkGroup: number | undefined;
}

class Lines {
  private readonly batches: AsyncIterator<readonly Entry[]>;
  private readonly places: readonly string[];
  private batch: readonly Entry[] = [];
  private index = 0;

  constructor(view: ComparedView) {
    this.batches = view.entries()[Symbol.asyncIterator]();
    this.places = view.chunks.map((chunk) => placeOf(view.uploadId, chunk));
  }

  async next(): Promise<ComparedEntry | undefined> {
    while (this.index >= this.batch.length) {
      const next = await this.batches.next();
      if (next.done === true) return undefined;
      this.batch = next.value;
      this.index = 0;
    }
    const entry = this.batch[this.index++];
    return entry && this.compared(entry);
  }

  private compared({ chunk, segments, linkGroup, ...others }: Entry): ComparedEntry {
    const place = (position: number): string => this.places[position] ?? `no chunk ${position}`;
    const cut = segments?.map((part) => `${place(part.chunk)} ${part.offset} ${part.size}`).join(', ') ?? '';
    return { others, places: `${chunk === undefined ? '' : place(chunk)} ${cut}`, linkGroup };
  }
}

/** A text that is equal for chunks that are the same to a reader. */
function placeOf(uploadId: UploadId, { key, ...record }: ChunkRecord): string {
  const fields = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return hash('sha256', JSON.stringify([chunkKey(uploadId, key), fields]), 'hex');
}

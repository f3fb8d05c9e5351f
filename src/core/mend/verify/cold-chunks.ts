// Handles chunks that cannot be read now because they lie in cold storage. They are counted, and everything else is read; whether their
// content is intact stays unknown.
import { isArchiverError } from '../../platform/failures/errors.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { chunkStates } from '../../restore/thaw/chunk-states.js';
import type { FoundObjects } from './check-objects.js';

/** Count of unread chunks of one class and state. */
export interface ColdCount {
  /** Storage class as the store names it. */
  readonly storageClass: string;
  /** `thawing`: requested, but not readable yet. */
  readonly state: 'cold' | 'thawing';
  readonly chunks: number;
  readonly bytes: number;
}

/** Adds up counts, sorted by class. */
export function addCold(...counts: readonly (readonly ColdCount[])[]): readonly ColdCount[] {
  const sums = new Map<string, ColdCount>();
  for (const { storageClass, state, chunks, bytes } of counts.flat()) {
    const name = `${storageClass} ${state}`;
    const sum = sums.get(name) ?? { chunks: 0, bytes: 0 };
    sums.set(name, { storageClass, state, chunks: sum.chunks + chunks, bytes: sum.bytes + bytes });
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

type WhyUnread = Pick<ColdCount, 'storageClass' | 'state'>;

export interface ColdChunksOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'chunks'>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export class ColdChunks {
  counts: readonly ColdCount[] = [];

  constructor(private readonly options: ColdChunksOptions) {}

  /** Returns those of `chunks` (positions) that can be read, as far as the store tells; counts the others. */
  async skip(chunks: readonly number[], { cold }: FoundObjects): Promise<readonly number[]> {
    const unread = await this.unread(chunks.filter((chunk) => cold.has(this.keyOf(chunk))));
    const [sample] = [...unread].find(([, { state }]) => state === 'cold') ?? [];
    // On some servers the class is only a label, and every object can be read.
    if (sample !== undefined && (await this.isGiven(sample))) return chunks;
    for (const [chunk, why] of unread) this.count(chunk, why);
    return chunks.filter((chunk) => !unread.has(chunk));
  }

  /** Counts chunks that the store refused to return because they are cold. */
  async refused(chunks: readonly number[]): Promise<void> {
    const { head } = this.options;
    const unread = await this.unread(chunks);
    for (const chunk of chunks) {
      // If the store names no cold class for it, use the one in the manifest.
      this.count(chunk, unread.get(chunk) ?? { storageClass: head.chunks[chunk]?.storageClass ?? '', state: 'cold' });
    }
  }

  private keyOf(chunk: number): string {
    const { uploadId, chunks } = this.options.head;
    return chunkKey(uploadId, chunks[chunk]?.key ?? '') ?? '';
  }

  /** Returns those of `chunks` that are in cold storage according to the store. */
  private async unread(chunks: readonly number[]): Promise<ReadonlyMap<number, WhyUnread>> {
    const found = new Map<number, WhyUnread>();
    if (chunks.length === 0) return found;
    const { reader, now, signal } = this.options;
    const keys = chunks.map((chunk) => this.keyOf(chunk));
    const states = new Map((await chunkStates(reader, keys, { now: now(), signal })).map((one) => [one.key, one]));
    for (const chunk of chunks) {
      const { state, storageClass = '' } = states.get(this.keyOf(chunk)) ?? {};
      if (state === 'cold' || state === 'thawing') found.set(chunk, { storageClass, state });
    }
    return found;
  }

  /** Tells whether the store returns its first byte, whatever class it names. Any other refusal is reported when the chunk is read. */
  private async isGiven(chunk: number): Promise<boolean> {
    const { reader, signal } = this.options;
    try {
      const { body } = await reader.get(this.keyOf(chunk), { range: { start: 0, end: 1 }, signal });
      body.destroy();
      return true;
    } catch (error) {
      return !isArchiverError(error, 'cold-storage');
    }
  }

  private count(chunk: number, why: WhyUnread): void {
    const bytes = this.options.head.chunks[chunk]?.size ?? 0;
    this.counts = addCold(this.counts, [{ ...why, chunks: 1, bytes }]);
  }
}

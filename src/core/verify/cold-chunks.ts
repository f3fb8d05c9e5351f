// Chunks that cannot be read now because they lie in cold storage. They are counted, and everything else is read: whether
// their content is whole is not known.
import { chunkKey } from '../manifest/manifest-check.js';
import type { ManifestHead } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';
import { chunkStates } from '../thaw/chunk-states.js';
import type { FoundObjects } from './check-objects.js';

/** Chunks of one class and state that were not read. */
export interface ColdCount {
  /** As the store names it. */
  readonly storageClass: string;
  /** `thawing`: requested, and not readable yet. */
  readonly state: 'cold' | 'thawing';
  readonly chunks: number;
  readonly bytes: number;
}

/** Counts of several looks as one, in the order of classes. */
export function addCold(...counts: readonly (readonly ColdCount[])[]): readonly ColdCount[] {
  const sums = new Map<string, ColdCount>();
  for (const { storageClass, state, chunks, bytes } of counts.flat()) {
    const name = `${storageClass} ${state}`;
    const sum = sums.get(name) ?? { chunks: 0, bytes: 0 };
    sums.set(name, { storageClass, state, chunks: sum.chunks + chunks, bytes: sum.bytes + bytes });
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

export interface ColdLookOptions {
  readonly reader: ObjectReader;
  readonly head: Pick<ManifestHead, 'uploadId' | 'chunks'>;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export class ColdChunks {
  counts: readonly ColdCount[] = [];

  constructor(private readonly options: ColdLookOptions) {}

  /** Those of `chunks` (positions) that can be read, as far as the store tells; the others are counted. */
  async skip(chunks: readonly number[], { cold }: FoundObjects): Promise<readonly number[]> {
    const isDoubtful = (chunk: number): boolean => cold.has(this.keyOf(chunk));
    const thawed = new Set(await this.readable(chunks.filter(isDoubtful)));
    return chunks.filter((chunk) => !isDoubtful(chunk) || thawed.has(chunk));
  }

  /** Counts chunks whose content was refused as cold. */
  async refused(chunks: readonly number[]): Promise<void> {
    const { head } = this.options;
    // Where the store names no cold class of them, the manifest's word has to do.
    for (const chunk of await this.readable(chunks)) this.count(chunk, head.chunks[chunk]?.storageClass ?? '', 'cold');
  }

  private keyOf(chunk: number): string {
    const { uploadId, chunks } = this.options.head;
    return chunkKey(uploadId, chunks[chunk]?.key ?? '') ?? '';
  }

  /** Counts the others. */
  private async readable(chunks: readonly number[]): Promise<readonly number[]> {
    if (chunks.length === 0) return [];
    const { reader, now, signal } = this.options;
    const keys = chunks.map((chunk) => this.keyOf(chunk));
    const states = new Map((await chunkStates(reader, keys, { now: now(), signal })).map((one) => [one.key, one]));
    return chunks.filter((chunk) => {
      const { state, storageClass = '' } = states.get(this.keyOf(chunk)) ?? {};
      if (state !== 'cold' && state !== 'thawing') return true;
      this.count(chunk, storageClass, state);
      return false;
    });
  }

  private count(chunk: number, storageClass: string, state: ColdCount['state']): void {
    const bytes = this.options.head.chunks[chunk]?.size ?? 0;
    this.counts = addCold(this.counts, [{ storageClass, state, chunks: 1, bytes }]);
  }
}

// The files that a deep check compares with their content, kept while a manifest is read: those in chunks that no earlier version needs.
import { pathProblem } from '../../platform/paths/path-rules.js';
import { chunkKey, placeProblem } from '../../format/manifest/manifest-check.js';
import type { Entry, ManifestHead } from '../../format/manifest/manifest-types.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { TableBuilder } from '../../restore/plan/selected-table.js';

type Chunks = Pick<ManifestHead, 'uploadId' | 'chunks'>;

/** The key of a chunk relative to the base. */
export const fullKey = ({ uploadId }: Pick<ManifestHead, 'uploadId'>, key: string): string =>
  chunkKey(uploadId, key) ?? key;

export interface KeptOptions {
  /** False when no content is read, and nothing is kept. */
  readonly isDeep: boolean;
  /** True when no sample or part of the chunks is read. */
  readonly isWhole: boolean;
  /** Full keys of chunks that earlier versions need. */
  readonly seen?: ReadonlySet<string> | undefined;
  /** Full keys of chunks that are known to be in a cold class. */
  readonly cold?: ReadonlySet<string> | undefined;
}

export class KeptEntries {
  readonly builder = new TableBuilder();
  private known: Uint8Array | undefined;

  constructor(private readonly options: KeptOptions) {}

  /** Whether every chunk is to be read, as far as that is known before: entries are kept as they pass then, and not read once more. */
  areAllRead(head: Chunks): boolean {
    const { isDeep, isWhole, cold } = this.options;
    if (!isDeep || !isWhole) return false;
    return cold === undefined || cold.size === 0 || !head.chunks.some(({ key }) => cold.has(fullKey(head, key)));
  }

  /** Keeps an entry of a manifest that is read once. */
  pass(entry: Entry, head: Chunks): void {
    if (!this.options.isDeep) return;
    const known = this.knownOf(head);
    // Files that were checked with an earlier version take no memory again.
    this.keep(entry, head, (chunk) => known[chunk] !== 1);
  }

  /** Keeps rows of a manifest that is read once; folders among them take part in nothing. */
  passRows(batch: RowBatch, head: Chunks): void {
    if (!this.options.isDeep) return;
    const known = this.knownOf(head);
    const isKept = (row: number): boolean => known[batch.chunk[row] ?? -1] !== 1;
    for (let row = 0; row < batch.count;) {
      const from = row;
      while (row < batch.count && isKept(row)) row++;
      if (row > from) this.builder.addRows(batch, from, row);
      else row++;
    }
  }

  /** Keeps a file if part of it is in a chunk that is to be read, or none of it in any. */
  keep(entry: Entry, { chunks }: Chunks, isRead: (chunk: number) => boolean): void {
    const hasContent = entry.type === 'file' || entry.type === 'hardlink';
    if (!hasContent || pathProblem(entry.path) !== undefined || placeProblem(entry, chunks) !== undefined) return;
    const places = entry.segments?.map(({ chunk }) => chunk) ?? (entry.chunk === undefined ? [] : [entry.chunk]);
    if (places.length === 0 || places.some(isRead)) this.builder.add(entry);
  }

  /** 1 for each chunk that an earlier version needs. */
  knownOf(head: Chunks): Uint8Array {
    const { seen } = this.options;
    return (this.known ??= Uint8Array.from(head.chunks, ({ key }) => Number(seen?.has(fullKey(head, key)) === true)));
  }
}

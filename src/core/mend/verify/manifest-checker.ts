// Checks that a manifest agrees with itself: entries against chunks, chunks against shards, all of them against the totals. Takes entries
// as they stream by and keeps only counters.
import { chunkKey, chunkProblems, extentsOf, placeProblem } from '../../format/manifest/manifest-check.js';
import type { Entry, ManifestHead, Tombstone } from '../../format/manifest/manifest-types.js';
import { pathOf, type RowBatch } from '../../format/rows/row-batch.js';
import { KIND } from '../../format/columns/entry-table.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import type { ProblemSink } from './problem.js';

interface Counts {
  files: number;
  bytes: number;
}

export class ManifestChecker {
  entries = 0;
  directories = 0;
  symlinks = 0;
  hardlinks = 0;
  /** Number of deletions in a delta; also counted in `entries`. */
  private deletions = 0;
  bytes = 0;
  /** Number of files with content but no MD5. */
  unsummed = 0;
  private readonly shards = new Map<number, Counts>();
  private previous: RawPath | undefined;
  private isOrdered = true;

  constructor(
    private readonly head: ManifestHead,
    private readonly errors: ProblemSink,
    private readonly warnings: ProblemSink,
  ) {
    this.checkChunks();
  }

  tombstone({ path }: Tombstone): void {
    this.checkOrder(path);
    const problem = pathProblem(path);
    if (problem !== undefined) this.errors.add(`${problem}: it cannot be deleted`, { path: resultPath(path) });
    this.entries++;
    this.deletions++;
  }

  entry(entry: Entry): void {
    const { errors, head } = this;
    const path = resultPath(entry.path);
    this.checkOrder(entry.path);
    const problem = pathProblem(entry.path);
    if (problem !== undefined) errors.add(`${problem}: it would not be restored`, { path });
    const misplaced = placeProblem(entry, head.chunks);
    if (misplaced !== undefined) errors.add(misplaced, { path });
    else if (entry.chunk !== undefined && head.chunks[entry.chunk] === undefined)
      errors.add(`it is in chunk ${entry.chunk}, but there are ${head.chunks.length}`, { path });
    this.count(entry);
  }

  /** Rows: plain files and folders in order, and nothing is wrong with their paths and places. */
  rows(batch: RowBatch): void {
    const { count, kind, chunk, size, hasMd5 } = batch;
    this.checkOrder(pathOf(batch, 0));
    this.previous = pathOf(batch, count - 1);
    this.entries += count;
    this.directories += batch.directories;
    this.bytes += batch.bytes;
    for (let row = 0; row < count; row++) {
      if (kind[row] === KIND.directory) continue;
      if (hasMd5[row] !== 1) this.unsummed++;
      this.countIn(chunk[row] ?? -1, size[row] ?? 0);
    }
  }

  private count(entry: Entry): void {
    this.entries++;
    if (entry.type === 'directory') {
      this.directories++;
      return;
    }
    if (entry.type === 'symlink') this.symlinks++;
    if (entry.type === 'hardlink') this.hardlinks++;
    this.bytes += entry.size;
    if (entry.type !== 'symlink' && entry.md5 === undefined) this.unsummed++;
    // A cut file counts in the shard of its last part.
    this.countIn(entry.chunk ?? extentsOf(entry).at(-1)?.chunk ?? -1, entry.size);
  }

  private countIn(position: number, bytes: number): void {
    const chunk = this.head.chunks[position];
    if (chunk === undefined) return;
    const counts = this.shards.get(chunk.shard) ?? { files: 0, bytes: 0 };
    counts.files++;
    counts.bytes += bytes;
    this.shards.set(chunk.shard, counts);
  }

  private checkOrder(path: RawPath): void {
    const { previous } = this;
    this.previous = path;
    if (previous === undefined || path > previous) return;
    if (path === previous) this.errors.add('the manifest names it more than once', { path: resultPath(path) });
    else if (this.isOrdered)
      this.errors.add('the entries are not in the order of their paths', { path: resultPath(path) });
    this.isOrdered = false;
  }

  private checkChunks(): void {
    const { head, errors } = this;
    const keys = new Set<string>();
    const numbers = new Set<number>();
    head.chunks.forEach((chunk, position) => {
      for (const problem of chunkProblems(chunk, position)) errors.add(problem, { key: chunk.key });
      const key = chunkKey(head.uploadId, chunk.key);
      if (key === undefined) errors.add('the key of a chunk leads out of uploads/', { key: chunk.key });
      if (keys.has(chunk.key)) errors.add('two chunks have the same key', { key: chunk.key });
      keys.add(chunk.key);
      if (!chunk.key.startsWith('../') && numbers.has(chunk.chunk))
        errors.add(`two chunks have the number ${chunk.chunk}`, { key: chunk.key });
      if (!chunk.key.startsWith('../')) numbers.add(chunk.chunk);
    });
  }

  /** Number of entries other than folders and deletions. */
  get files(): number {
    return this.entries - this.directories - this.deletions;
  }

  /** Compares the sums; call after the last entry. */
  finish(): void {
    const { head, errors } = this;
    const { totals } = head;
    const compare = (what: string, said: number, found: number): void => {
      if (said !== found) errors.add(`the manifest announces ${said} ${what}, and there are ${found}`);
    };
    compare('entries', totals.entries, this.entries);
    compare('files', totals.files, this.files);
    compare('directories', totals.directories, this.directories);
    compare('symbolic links', totals.symlinks, this.symlinks);
    compare('hard links', totals.hardlinks, this.hardlinks);
    compare('bytes', totals.bytes, this.bytes);
    compare('chunks', totals.chunks, head.chunks.length);
    compare(
      'stored bytes',
      totals.storedBytes,
      head.chunks.reduce((sum, { size }) => sum + size, 0),
    );
    this.finishShards();
    if (this.unsummed > 0) {
      const count = this.unsummed === 1 ? '1 file has' : `${this.unsummed} files have`;
      this.warnings.add(`${count} no checksum of their own in the manifest; the checksums of the chunks cover them`);
    }
  }

  private finishShards(): void {
    const { head, errors } = this;
    const known = new Set<number>();
    for (const { shard, chunks, files, bytes, storedBytes } of head.shards) {
      if (known.has(shard)) errors.add(`shard ${shard} is listed twice`);
      known.add(shard);
      const own = head.chunks.filter((chunk) => chunk.shard === shard);
      const counted = this.shards.get(shard) ?? { files: 0, bytes: 0 };
      const said = [chunks, files, bytes, storedBytes].join(' ');
      const found = [own.length, counted.files, counted.bytes, own.reduce((sum, { size }) => sum + size, 0)].join(' ');
      if (said !== found) {
        errors.add(
          `shard ${shard}: the manifest announces chunks, files, bytes and stored bytes ${said}, and they are ${found}`,
        );
      }
    }
    const unlisted = new Set(head.chunks.map(({ shard }) => shard).filter((shard) => !known.has(shard)));
    for (const shard of unlisted) errors.add(`shard ${shard} holds chunks and is not listed`);
  }
}

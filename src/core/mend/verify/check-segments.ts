// Checks that the segments of a listing are what its manifest says of them, while their entries pass.
import { isDeepStrictEqual } from 'node:util';
import { EntrySums, ENTRY_TOTALS } from '../../dataset/chain/entry-sums.js';
import { useTables } from '../../format/manifest/direct-record.js';
import { IndexCheck } from '../../format/manifest/index-check.js';
import { headIn, type LoadedSegment } from '../../format/manifest/load-segments.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { chunkKey, extentsOf, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { isRows, type LineBatch, rowLines } from '../../format/rows/row-lines.js';
import { RowScanner } from '../../format/rows/row-scanner.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import type { ProblemSink } from './problem.js';

/** Lines and rows of a listing in segments, in order. @throws integrity for a segment that is missing, damaged or does not parse */
export async function* checkedSegments(loaded: LoadedManifest, errors: ProblemSink): AsyncGenerator<LineBatch> {
  const { segments = [], head } = loaded;
  const scanner = RowScanner.open();
  let groups = 0;
  let next = segments[0]?.read();
  for (const [position, segment] of segments.entries()) {
    const bytes = (await next) ?? Buffer.alloc(0);
    next = segments[position + 1]?.read();
    next?.catch(() => undefined); // awaited in the next round
    const check = new SegmentCheck(head, segment);
    const read = (): Promise<Buffer> => Promise.resolve(bytes);
    for await (const batch of rowLines({ ...loaded, segments: [{ ...segment, read }] }, scanner)) {
      if (isRows(batch)) check.addRows(batch);
      else for (const line of batch) check.add(line);
      yield batch;
    }
    for (const problem of await check.finish(bytes)) errors.add(problem, { key: segment.key });
    groups = Math.max(groups, check.groups);
  }
  const { linkGroups = 0 } = head;
  if (groups > linkGroups)
    errors.add(`the manifest says that groups of hard links have numbers up to ${linkGroups}, and one has ${groups}`);
}

class SegmentCheck {
  /** The highest number of a group of hard links. */
  groups = 0;
  private readonly sums = new EntrySums();
  /** Positions in the chunks of the manifest. */
  private readonly used = new Set<number>();
  private isForeign = false;

  constructor(
    private readonly head: ManifestHead,
    private readonly segment: LoadedSegment,
  ) {}

  add(line: Line): void {
    if ('foreignType' in line || line.type === 'deleted') {
      this.isForeign = true;
      return;
    }
    this.sums.add(line);
    if (line.chunk !== undefined) this.used.add(line.chunk);
    for (const { chunk } of extentsOf(line)) this.used.add(chunk);
    this.groups = Math.max(this.groups, line.linkGroup ?? 0);
  }

  addRows(batch: RowBatch): void {
    this.sums.addFiles(batch);
    for (let row = 0; row < batch.count; row++) {
      const chunk = batch.chunk[row] ?? -1;
      if (chunk >= 0) this.used.add(chunk);
    }
  }

  async finish(bytes: Buffer): Promise<readonly string[]> {
    const index = new IndexCheck();
    index.push(bytes);
    const damage = index.finish();
    const problems = [...this.counts(), ...(await this.chunks(bytes)), ...(damage === undefined ? [] : [damage])];
    if (!isDeepStrictEqual(index.index, this.segment.place.index))
      problems.push('the manifest names another index than it has');
    return problems;
  }

  private *counts(): Generator<string> {
    const { counts } = this.segment.place;
    // What an entry of an unknown type counts as is not known.
    if (this.isForeign) return;
    for (const [name, what] of Object.entries(ENTRY_TOTALS) as [keyof typeof counts, string][]) {
      const found = this.sums.totals[name];
      if (counts[name] !== found) yield `the segment announces ${counts[name]} ${what}, and there are ${found}`;
    }
  }

  private async chunks(bytes: Buffer): Promise<readonly string[]> {
    const { head, segment, used, isForeign } = this;
    const { chunks, uploadId } = await headIn(bytes, segment.key);
    const isUsed = Uint8Array.from(segment.positions, (position) => Number(used.has(position)));
    useTables(chunks, isUsed);
    return chunks.flatMap((record, at) => {
      const full = chunkKey(uploadId, record.key);
      const moved = full === undefined ? record : { ...record, key: relativeChunkKey(head.uploadId, full) };
      const isSame = isDeepStrictEqual(moved, head.chunks[segment.positions[at] ?? -1]);
      return [
        ...(isUsed[at] === 1 || isForeign ? [] : [`none of its entries is in ${record.key}, which it lists`]),
        ...(isSame ? [] : [`it describes ${record.key} in another way than another segment`]),
      ];
    });
  }
}

// Compares the MD5 of all whole files of a frame in one go, if the frame was decoded into the memory of the MD5 lanes (core/platform/md5):
// four to five times as fast as file by file. Larger files are hashed as they are written.
import { LANE_LIMIT_BYTES, loadMd5Lanes, type Md5Lanes } from '../../platform/md5/md5-lanes.js';
import type { Extents } from '../plan/extents.js';
import { STATE, type SelectedTable } from '../plan/selected-table.js';

const DIGEST_BYTES = 16;
const FIRST_CAPACITY = 4096;

/** The state of an extent's MD5. */
export const VERDICT = { unknown: 0, right: 1, wrong: 2 } as const;

export class BatchHash {
  private starts = new Uint32Array(FIRST_CAPACITY);
  private lengths = new Uint32Array(FIRST_CAPACITY);
  private slots = new Uint32Array(FIRST_CAPACITY);
  private digests = Buffer.alloc(FIRST_CAPACITY * DIGEST_BYTES);
  private verdicts = new Uint8Array(FIRST_CAPACITY);
  private first = 0;
  private end = 0;

  constructor(
    private readonly table: SelectedTable,
    private readonly extents: Extents,
    private readonly lanes: Md5Lanes,
  ) {}

  /** Returns memory to decode a frame into; only the last one returned is valid. */
  allocate(bytes: number): Uint8Array {
    return this.lanes.allocate(bytes);
  }

  private grow(count: number): void {
    const capacity = Math.max(count, this.verdicts.length * 2);
    this.starts = new Uint32Array(capacity);
    this.lengths = new Uint32Array(capacity);
    this.slots = new Uint32Array(capacity);
    this.digests = Buffer.alloc(capacity * DIGEST_BYTES);
    this.verdicts = new Uint8Array(capacity);
  }

  /** Hashes the files that are whole among the extents `from` to `to`; the allocated memory holds `start` to `end` of the stream. */
  run(from: number, to: number, start: number, end: number): void {
    const { offset, size, entry } = this.extents;
    const { state, hasMd5, size: fileSize } = this.table.columns;
    this.first = from;
    this.end = to;
    if (to - from > this.verdicts.length) this.grow(to - from);
    this.verdicts.fill(VERDICT.unknown, 0, to - from);
    let count = 0;
    for (let extent = from; extent < to; extent++) {
      const index = entry[extent] ?? 0;
      const at = offset[extent] ?? 0;
      const length = size[extent] ?? 0;
      const isWhole = at + length <= end && length === fileSize[index] && length <= LANE_LIMIT_BYTES;
      if (!isWhole || hasMd5[index] !== 1 || state[index] !== STATE.waiting) continue;
      this.starts[count] = at - start;
      this.lengths[count] = length;
      this.slots[count++] = extent - from;
    }
    this.lanes.hash(this.starts, this.lengths, count, this.digests);
    for (let slot = 0; slot < count; slot++) {
      const extent = this.slots[slot] ?? 0;
      const isRight = this.table.hasDigest(entry[from + extent] ?? 0, this.digests, slot * DIGEST_BYTES);
      this.verdicts[extent] = isRight ? VERDICT.right : VERDICT.wrong;
    }
  }

  /** Returns the verdict of the last `run` on this extent. */
  verdict(extent: number): number {
    return extent >= this.first && extent < this.end
      ? (this.verdicts[extent - this.first] ?? VERDICT.unknown)
      : VERDICT.unknown;
  }
}

/** Opens the batch; undefined if the lanes cannot run: files are then hashed one by one. */
export function openBatchHash(table: SelectedTable, extents: Extents): BatchHash | undefined {
  const lanes = loadMd5Lanes();
  return lanes === undefined ? undefined : new BatchHash(table, extents, lanes);
}

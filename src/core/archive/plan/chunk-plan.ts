// Plans how the scanned entries are divided into chunks. Entries keep path order within a chunk, so folders come back in few ranges; a hard
// link group stays in one chunk; a file that does not fit a chunk gets chunks of its own, one after another.
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';
import { assignShards, type ShardStrategy, type Unit } from '../run/shard-strategy.js';
import { type TierPolicy, tierOf, TIERS } from '../run/tier.js';
import { tarBytes } from '../../format/tar/tar-block.js';
import { addTo } from '../../platform/lists-by-key.js';
import type { ScannedShare } from '../scan/scan.js';
import { cutFile, pieceOf } from '../../format/chunk/cut-file.js';
import { rowsOf } from './pending-rows.js';

const MIB = 2 ** 20;

const NO_TIER = -1;
/** Tier of entries that are no files. Colder than all others, so that any file decides; a chunk without files is kept in STANDARD. */
const ANY_TIER = 7;

export interface PlanOptions {
  readonly strategy: ShardStrategy;
  readonly shards: number;
  /** Most bytes of tar stream in a chunk. */
  readonly chunkBytes: number;
  readonly storageClass: string;
  readonly tiers?: TierPolicy;
  /** Pack the largest chunks first. */
  readonly largestFirst?: boolean;
  /** Number of the first chunk; lower numbers are in the store already. */
  readonly firstChunk?: number;
  /** Files up to this size are objects of their own: they take their full size, not the space that they take on disk. */
  readonly directBytes?: number;
  /** Pieces of files that others pack, too. */
  readonly shares?: readonly ScannedShare[] | undefined;
  /** Chunks that are being packed already: the first ones. */
  readonly begun?: readonly ChunkTask[];
}

/**
 * Returns the chunk size for an upload of so many bytes, at most what `memoryBytes` allows for `buffers` chunks at once: 32 MiB, growing to
 * 64 MiB from 16 GiB on, so that terabytes stay below some ten thousand objects.
 */
export function chunkSizeFor(bytes: number, memoryBytes: number, buffers: number): number {
  const wanted = Math.min(64 * MIB, Math.max(32 * MIB, bytes / 512));
  const allowed = Math.max(4 * MIB, memoryBytes / buffers);
  return Math.floor(Math.min(wanted, allowed) / MIB) * MIB;
}

/** Bytes of data in a chunk. A small upload still fills every shard a little: a single shard with all of it would count as imbalance. */
export const targetBytes = (totalBytes: number, shards: number, chunkBytes: number): number =>
  Math.min(chunkBytes, Math.max(64 * 1024, Math.ceil(totalBytes / shards)));

/**
 * Plans all chunks but those that are begun: every other pending entry that is not dropped ends up in exactly one lane (a cut file in exactly
 * one lane of its own).
 */
export function planChunks(table: EntryTable, options: PlanOptions): readonly Lane[] {
  const planner = new Planner(table, options);
  planner.run();
  const lanes = planner.lanes;
  // Long lanes come first: the other workers fill the rest around them. A lane that reads a whole file for its checksums is the longest.
  const weight = (lane: Lane): number => {
    if (lane.some(({ part }) => part?.firstRow !== undefined && part.number === part.of)) return Infinity;
    return lane.length > 1 || options.largestFirst === true ? lane.reduce((sum, task) => sum + task.rawBytes, 0) : 0;
  };
  return lanes
    .map((lane) => ({ lane, key: weight(lane) }))
    .sort((a, b) => b.key - a.key)
    .map(({ lane }) => lane);
}

interface OpenChunk {
  shard: number;
  tier: number;
  entries: number[];
  rawBytes: number;
  bytes: number;
}

class Planner {
  readonly lanes: Lane[] = [];
  private nextChunk: number;
  private dealt: number;
  private readonly open = new Map<number, OpenChunk>();
  private readonly members = new Map<number, number[]>();
  private readonly twins = new Map<number, number[]>();
  private target = 0;

  constructor(
    private readonly table: EntryTable,
    private readonly options: PlanOptions,
  ) {
    const { firstChunk = 0, begun = [] } = options;
    this.nextChunk = firstChunk + begun.length;
    this.dealt = begun.length;
  }

  run(): void {
    const { columns, count } = this.table;
    for (let i = 0; i < count; i++) {
      if (columns.kind[i] !== KIND.hardlink || columns.status[i] !== STATUS.pending) continue;
      const first = columns.link[i] ?? 0;
      const group = this.members.get(first);
      if (group === undefined) this.members.set(first, [first, i]);
      else group.push(i);
    }
    this.findTwins();
    const units = this.units();
    let total = this.options.begun?.reduce((sum, { rawBytes }) => sum + rawBytes, 0) ?? 0;
    for (const unit of units) total += this.unitTarBytes(unit);
    const { shards, strategy } = this.options;
    this.target = targetBytes(total, shards, this.options.chunkBytes);
    const shardOf =
      strategy === 'round-robin' ? undefined : assignShards(this.asStrategyUnits(units), strategy, shards);
    units.forEach((unit, position) => this.place(unit, shardOf?.[position]));
    for (const chunk of this.open.values()) this.close(chunk);
    for (const share of this.options.shares ?? []) this.addShare(share);
  }

  /** Finds twins: they go with the chunk of their content and take no space in it. */
  private findTwins(): void {
    const { status, link } = this.table.columns;
    for (let i = 0; i < this.table.count; i++) if (status[i] === STATUS.twin) addTo(this.twins, link[i] ?? 0, i);
  }

  private units(): Uint32Array {
    const { kind, status } = this.table.columns;
    const found = new Uint32Array(this.table.count);
    const isBegun = rowsOf(this.table, this.options.begun ?? []);
    let n = 0;
    for (let i = 0; i < this.table.count; i++) {
      if (isBegun[i] === 1) continue;
      if (status[i] === STATUS.pending && kind[i] !== KIND.dropped && kind[i] !== KIND.hardlink) found[n++] = i;
    }
    return found.subarray(0, n);
  }

  private asStrategyUnits(units: Uint32Array): Unit[] {
    return Array.from(units, (index) => ({ path: this.table.path(index), bytes: this.dataBytes(index) }));
  }

  private unitTarBytes(index: number): number {
    const others = (this.members.get(index)?.length ?? 1) - 1;
    return tarBytes(this.dataBytes(index)) + others * tarBytes(0);
  }

  /** Bytes of a file that have to be stored; holes are not. */
  private dataBytes(index: number): number {
    const size = this.table.columns.size[index] ?? 0;
    return size <= (this.options.directBytes ?? 0) ? size : Math.min(size, this.table.columns.allocated[index] ?? 0);
  }

  private place(index: number, shard: number | undefined): void {
    const { columns } = this.table;
    const size = columns.size[index] ?? 0;
    if (this.dataBytes(index) > this.options.chunkBytes) {
      this.cut(index, size, shard);
      return;
    }
    const { tiers } = this.options;
    const tier = this.tier(index);
    const slot = (shard ?? 0) * 8 + (tiers?.strategy === 'tier-aware' ? tier : 0);
    const bytes = this.unitTarBytes(index);
    let chunk = this.open.get(slot);
    const limit = shard === undefined ? this.target : this.options.chunkBytes;
    if (chunk !== undefined && chunk.rawBytes + bytes > limit && chunk.entries.length > 0) {
      this.close(chunk);
      chunk = undefined;
    }
    if (chunk === undefined) {
      chunk = { shard: shard ?? this.deal(), tier, entries: [], rawBytes: 0, bytes: 0 };
      this.open.set(slot, chunk);
    }
    this.addEntries(chunk.entries, index);
    chunk.rawBytes += bytes;
    chunk.bytes += size;
    if (tier < chunk.tier) chunk.tier = tier;
  }

  /** Adds an entry with its other names and its twins. */
  private addEntries(entries: number[], index: number): void {
    const group = this.members.get(index);
    if (group === undefined) entries.push(index);
    else for (const member of group) entries.push(member);
    const twins = this.twins.get(index);
    if (twins !== undefined) for (const twin of twins) entries.push(twin);
  }

  private deal(): number {
    return this.dealt++ % this.options.shards;
  }

  private close(chunk: OpenChunk): void {
    this.lanes.push([
      {
        chunk: this.nextChunk++,
        shard: chunk.shard,
        storageClass: this.classOf(chunk.tier),
        entries: Uint32Array.from(chunk.entries).sort(),
        rawBytes: chunk.rawBytes,
        bytes: chunk.bytes,
      },
    ]);
  }

  private cut(index: number, size: number, shard: number | undefined): void {
    const cut = cutFile(size, this.options.chunkBytes);
    const group: number[] = [];
    this.addEntries(group, index);
    const tier = this.tier(index);
    this.lanes.push(
      Array.from({ length: cut.of }, (_, position) => {
        const part = pieceOf(size, cut, position + 1);
        // The other links of a cut file are listed with its last piece.
        return this.pieceTask(part.number === part.of ? group : [index], part, { shard, tier });
      }),
    );
  }

  private pieceTask(
    entries: readonly number[],
    part: NonNullable<ChunkTask['part']>,
    { shard, tier }: { readonly shard: number | undefined; readonly tier: number },
  ): ChunkTask {
    return {
      chunk: this.nextChunk++,
      shard: shard ?? this.deal(),
      storageClass: this.classOf(tier),
      entries: Uint32Array.from(entries),
      rawBytes: tarBytes(part.size),
      bytes: part.size,
      part,
    };
  }

  /** Each piece has a lane: none needs the one before, since checksums are made by reading the file as a whole. */
  private addShare({ row: firstRow, share }: ScannedShare): void {
    if (firstRow === undefined) return;
    const { status, size } = this.table.columns;
    const tier = this.tier(firstRow);
    for (let number = share.first; number <= share.last; number++) {
      const row = firstRow + number - share.first;
      if (status[row] !== STATUS.piece) continue;
      const part = { ...pieceOf(size[row] ?? 0, share, number), firstRow };
      this.lanes.push([this.pieceTask([row], part, { shard: undefined, tier })]);
    }
  }

  private tier(index: number): number {
    const { tiers } = this.options;
    const { kind, atimeSeconds } = this.table.columns;
    if (tiers === undefined) return NO_TIER;
    // The access times of folders and links say nothing: every scan reads them.
    return kind[index] === KIND.file ? tierOf(atimeSeconds[index] ?? 0, tiers) : ANY_TIER;
  }

  private classOf(tier: number): string {
    if (tier === NO_TIER) return this.options.storageClass;
    return TIERS[tier] ?? TIERS[0];
  }
}

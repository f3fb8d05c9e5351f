// Decides what a balance moves, from a fresh look at the store; writes nothing.
import { readView, type ReadView } from '../../dataset/chain/read-view.js';
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import { integrityError } from '../../platform/failures/errors.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import type { Neighbours } from './neighbours.js';
import { shardLoads, type ShardLoads } from './shard-loads.js';
import { chunkName, stayReason, type StayReason } from './staying-chunks.js';
import { uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';

export interface Analysis {
  readonly uploadId: UploadId;
  /** URL of the base folder that holds `uploads/`. */
  readonly baseUrl: string;
  readonly loads: ShardLoads;
  readonly threshold: number;
  readonly imbalanced: boolean;
  /** True when moves could make the largest shard smaller. An analysis judges by the manifest alone; a plan, by everything in the store. */
  readonly canImprove: boolean;
  /** Chunks of the effective view; their keys are relative to the upload. */
  readonly chunks: readonly ChunkRecord[];
  readonly writerId: string | undefined;
}

/** A chunk and its new place; keys are relative to the base. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly fromShard: number;
  readonly toShard: number;
  readonly sizeBytes: number;
  /** SHA-256 of the whole object, in hex. */
  readonly sha256: string;
  /** True when an object already exists at `to`; an interrupted balance may have copied it. */
  readonly isThere: boolean;
}

export interface StayingChunks {
  readonly reason: StayReason;
  readonly chunks: number;
  readonly bytes: number;
}

export interface BalancePlan extends Analysis {
  readonly moves: readonly Move[];
  /** The loads after the moves. */
  readonly after: ShardLoads;
  /** Chunks that cannot move, by reason. */
  readonly staying: readonly StayingChunks[];
  /**
   * Objects that are no longer needed after the moves: those replaced by copies, and leftovers of earlier balances. A prune removes them.
   */
  readonly superseded: { readonly objects: number; readonly bytes: number };
}

export interface AnalyzeOptions {
  readonly uploadId: UploadId;
  /** Ratio of the largest shard to the average above which the upload is imbalanced. */
  readonly threshold: number;
  readonly signal: AbortSignal;
}

/** Measures how evenly the chunks of the effective view are spread over the shards. @throws what reading the manifest throws */
export async function analyze(reader: ObjectReader, options: AnalyzeOptions): Promise<Analysis> {
  const { uploadId, threshold, signal } = options;
  const { head }: ReadView = await readView(reader, { uploadId, headOnly: true, signal });
  const loads = shardLoads(head.chunks, head.settings.shardCount);
  const imbalanced = loads.ratio > threshold;
  const { chunks, writerId } = head;
  const places = usefulPlaces(chunks, loads, reasonsByManifest(chunks, uploadId));
  const canImprove = places.size > 0;
  return { uploadId, baseUrl: reader.url, loads, threshold, imbalanced, canImprove, chunks, writerId };
}

/** Smallest worthwhile reduction, as a share of the largest shard; below it the copies cost more than they gain. */
const LEAST_GAIN = 0.01;

type Reasons = readonly (StayReason | undefined)[];

/** Tells why chunks must stay, as if nothing but this upload were in the store. */
function reasonsByManifest(chunks: readonly ChunkRecord[], uploadId: UploadId): Reasons {
  const present = new Map(chunks.map((chunk) => [chunkKey(uploadId, chunk.key) ?? '', chunk]));
  const neighbours = { referred: new Set<string>(), isNewest: false };
  const around = { uploadId, writerId: undefined, neighbours, present, doubled: new Set<string>() };
  return chunks.map((chunk) => stayReason(chunk, around));
}

/** Returns the new shards of chunks by position; empty when the moves would hardly shrink the largest shard. */
function usefulPlaces(
  chunks: readonly ChunkRecord[],
  loads: ShardLoads,
  reasons: Reasons,
): ReadonlyMap<number, number> {
  const movable = chunks.flatMap(({ shard, size }, id) => (reasons[id] === undefined ? [{ id, shard, size }] : []));
  const bytes = loads.shards.map(({ storedBytes }) => storedBytes);
  const places = planMoves(bytes, movable);
  const after = shardLoads(placed(chunks, places), loads.shards.length);
  return after.largestBytes <= loads.largestBytes * (1 - LEAST_GAIN) ? places : new Map();
}

const placed = (chunks: readonly ChunkRecord[], places: ReadonlyMap<number, number>): readonly ChunkRecord[] =>
  chunks.map((chunk, id) => ({ ...chunk, shard: places.get(id) ?? chunk.shard }));

/**
 * Makes the plan. `suffix` (8 hex digits) makes the keys of copies new: a prune may still be about to delete what was stored under an old
 * one. @throws integrity when a chunk is not in the store as the manifest says
 */
export function planBalance(analysis: Analysis, neighbours: Neighbours, suffix: string): BalancePlan {
  const { uploadId, writerId, chunks, loads, imbalanced } = analysis;
  const present = new Map(neighbours.folder.chunks.map((object) => [object.key, object]));
  const copies = copiesOf(analysis, neighbours);
  const around = { uploadId, writerId, neighbours, present, doubled: doubledOf(analysis, copies, neighbours) };
  refuseMissing(analysis, present);
  const reasons = chunks.map((chunk) => stayReason(chunk, around));
  const places = imbalanced ? usefulPlaces(chunks, loads, reasons) : new Map<number, number>();
  const usable = copies.filter(({ key }) => neighbours.marked !== 'all' && !neighbours.marked.has(key));
  const moves = [...places].flatMap(([id, toShard]) => moveOf({ uploadId, usable, suffix }, chunks[id], toShard));
  return {
    ...analysis,
    canImprove: moves.length > 0,
    moves,
    after: shardLoads(placed(chunks, places), loads.shards.length),
    staying: stayingOf(chunks, reasons),
    superseded: supersededBy(moves, copies, neighbours),
  };
}

interface Copying {
  readonly uploadId: UploadId;
  /** Existing copies that are not marked. */
  readonly usable: readonly ObjectInfo[];
  readonly suffix: string;
}

function moveOf(
  { uploadId, usable, suffix }: Copying,
  chunk: ChunkRecord | undefined,
  toShard: number,
): readonly Move[] {
  const from = chunk && chunkKey(uploadId, chunk.key);
  const name = from && chunkName(from.slice(uploadFolder(uploadId).length));
  if (chunk === undefined || from === undefined || name === undefined) return [];
  const shard = `${uploadFolder(uploadId)}${shardPrefix(toShard)}/`;
  const { shard: fromShard, size: sizeBytes, sha256 } = chunk;
  const isCopy = ({ key }: ObjectInfo): boolean =>
    key.startsWith(shard) && chunkName(key.slice(uploadFolder(uploadId).length)) === name;
  const existing = usable.find((copy) => copy.sizeBytes === sizeBytes && isCopy(copy));
  const to = existing?.key ?? `${shard}${name}-${suffix}.tar.zst`;
  return [{ from, to, fromShard, toShard, sizeBytes, sha256, isThere: existing !== undefined }];
}

function refuseMissing({ uploadId, baseUrl, chunks }: Analysis, present: ReadonlyMap<string, ObjectInfo>): void {
  for (const chunk of chunks) {
    const key = chunkKey(uploadId, chunk.key);
    if (key === undefined || !key.startsWith(uploadFolder(uploadId)) || chunkName(chunk.key) === undefined) continue;
    const found = present.get(key);
    if (found?.sizeBytes === chunk.size) continue;
    const what = found === undefined ? 'is missing' : `has ${found.sizeBytes} bytes instead of ${chunk.size}`;
    throw integrityError(`no chunk was moved: ${key} ${what}`, {
      hint: `archiver verify ${uploadUrlOf(baseUrl, uploadId)}`,
    });
  }
}

/** Returns the objects whose chunk number belongs to a chunk that the manifest names in another shard. */
function copiesOf({ uploadId, chunks }: Analysis, { folder }: Neighbours): readonly ObjectInfo[] {
  const named = new Set(chunks.map(({ key }) => key));
  const names = new Set([...named].map(chunkName));
  return folder.chunks.filter(({ key }) => {
    const relative = key.slice(uploadFolder(uploadId).length);
    const name = chunkName(relative);
    return name !== undefined && !named.has(relative) && names.has(name);
  });
}

/** Returns the names of chunks that were moved before and whose other object another upload refers to. */
function doubledOf(
  { uploadId }: Analysis,
  copies: readonly ObjectInfo[],
  { referred }: Neighbours,
): ReadonlySet<string> {
  const doubled = copies.filter(({ key }) => referred.has(key));
  return new Set(doubled.flatMap(({ key }) => chunkName(key.slice(uploadFolder(uploadId).length)) ?? []));
}

function supersededBy(
  moves: readonly Move[],
  copies: readonly ObjectInfo[],
  { referred }: Neighbours,
): BalancePlan['superseded'] {
  const targets = new Set(moves.map(({ to }) => to));
  const left = copies.filter(({ key }) => !targets.has(key) && !referred.has(key));
  const sizes = [...left, ...moves].map(({ sizeBytes }) => sizeBytes);
  return { objects: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function stayingOf(chunks: readonly ChunkRecord[], reasons: readonly (StayReason | undefined)[]): StayingChunks[] {
  const sums = new Map<StayReason, { chunks: number; bytes: number }>();
  chunks.forEach(({ size }, id) => {
    const reason = reasons[id];
    if (reason === undefined) return;
    const sum = sums.get(reason) ?? { chunks: 0, bytes: 0 };
    sums.set(reason, { chunks: sum.chunks + 1, bytes: sum.bytes + size });
  });
  return [...sums].map(([reason, sum]) => ({ reason, ...sum }));
}

// Chooses which chunks move to which shard, so that the largest shard comes close to the average with few moves. Repeatedly, the chunk
// closest to half of the difference moves from the heaviest shard to the lightest. Each move makes the sum of squares smaller, so this
// ends; chunks stay whole, so it may end above the average.

/** Ratio to the average up to which a shard is left alone: evening out the rest costs copies and gains nothing. */
const CLOSE_ENOUGH = 1.1;

interface MovableChunk {
  readonly id: number;
  readonly shard: number;
  readonly size: number;
}

/** `loads` is the stored bytes of each shard. Returns the new shard of each chunk that moves, by its id. */
export function planMoves(loads: readonly number[], chunks: readonly MovableChunk[]): ReadonlyMap<number, number> {
  const shards = loads.map((bytes, shard) => ({ shard, bytes, chunks: [] as MovableChunk[], isStuck: false }));
  for (const chunk of chunks.toSorted(bySize)) shards[chunk.shard]?.chunks.push(chunk);
  const goal = (loads.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, loads.length)) * CLOSE_ENOUGH;
  const places = new Map(chunks.map(({ id, shard }) => [id, shard]));
  for (;;) {
    const free = shards.filter(({ isStuck }) => !isStuck);
    const from = free.reduce((heaviest, shard) => (shard.bytes > heaviest.bytes ? shard : heaviest), free[0] ?? NONE);
    if (from.bytes <= goal) break;
    const to = shards.reduce((lightest, shard) => (shard.bytes < lightest.bytes ? shard : lightest), shards[0] ?? NONE);
    const at = closest(from.chunks, from.bytes - to.bytes);
    const chunk = at === undefined ? undefined : from.chunks.splice(at, 1)[0];
    if (chunk === undefined) {
      from.isStuck = true;
      continue;
    }
    to.chunks.splice(lowerBound(to.chunks, chunk), 0, chunk);
    from.bytes -= chunk.size;
    to.bytes += chunk.size;
    to.isStuck = false;
    places.set(chunk.id, to.shard);
  }
  const before = new Map(chunks.map(({ id, shard }) => [id, shard]));
  return new Map([...places].filter(([id, shard]) => before.get(id) !== shard));
}

interface Shard {
  readonly shard: number;
  bytes: number;
  readonly chunks: MovableChunk[];
  isStuck: boolean;
}
const NONE: Shard = { shard: 0, bytes: 0, chunks: [], isStuck: true };

// Ties are broken by id, so that the same upload always gets the same plan.
const bySize = (a: MovableChunk, b: MovableChunk): number => a.size - b.size || a.id - b.id;

function lowerBound(chunks: readonly MovableChunk[], wanted: Pick<MovableChunk, 'id' | 'size'>): number {
  let [low, high] = [0, chunks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const chunk = chunks[middle];
    if (chunk !== undefined && (chunk.size - wanted.size || chunk.id - wanted.id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the position of the chunk whose move evens out most; undefined when every move would only reverse the difference. */
function closest(chunks: readonly MovableChunk[], difference: number): number | undefined {
  const half = difference / 2;
  const at = lowerBound(chunks, { id: -1, size: half });
  const candidates = [at - 1, at].filter((position) => {
    const size = chunks[position]?.size ?? 0;
    return size > 0 && size < difference;
  });
  const miss = (position: number): number => Math.abs((chunks[position]?.size ?? 0) - half);
  return candidates.sort((a, b) => miss(a) - miss(b))[0];
}

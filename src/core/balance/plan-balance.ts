// Decides what a balance moves, from a fresh look at the store; writes nothing.
import { readView, type ReadView } from '../dataset/read-view.js';
import { shardPrefix } from '../archive/upload-ledger.js';
import { integrityError } from '../errors.js';
import { chunkKey } from '../manifest/manifest-check.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import type { Neighbours } from './neighbours.js';
import { planMoves } from './plan-moves.js';
import { shardLoads, type ShardLoads } from './shard-loads.js';
import { chunkName, stayReason, type StayReason } from './staying-chunks.js';

export interface Analysis {
  readonly uploadId: string;
  /** URL of the base that holds `uploads/`. */
  readonly baseUrl: string;
  readonly loads: ShardLoads;
  readonly threshold: number;
  readonly imbalanced: boolean;
  /** Of the effective view, keys relative to the upload. */
  readonly chunks: readonly ChunkRecord[];
  readonly writerId: string | undefined;
}

/** A chunk and where it goes; keys below the base. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly fromShard: number;
  readonly toShard: number;
  readonly sizeBytes: number;
  /** Hex, of the whole object. */
  readonly sha256: string;
}

export interface StayingChunks {
  readonly reason: StayReason;
  readonly chunks: number;
  readonly bytes: number;
}

export interface BalancePlan extends Analysis {
  readonly moves: readonly Move[];
  /** As it will be. */
  readonly after: ShardLoads;
  /** Chunks that cannot move, by reason. */
  readonly staying: readonly StayingChunks[];
  /** What an interrupted balance left, and nothing needs. */
  readonly leftovers: readonly ObjectInfo[];
}

export interface AnalyzeOptions {
  readonly uploadId: string;
  /** Largest shard by average; above it the upload is imbalanced. */
  readonly threshold: number;
  readonly signal: AbortSignal;
}

/** How the chunks that the upload shows are spread. @throws what reading the manifest throws */
export async function analyze(reader: ObjectReader, options: AnalyzeOptions): Promise<Analysis> {
  const { uploadId, threshold, signal } = options;
  const { head }: ReadView = await readView(reader, { uploadId, headOnly: true, signal });
  const loads = shardLoads(head.chunks, head.settings.shardCount);
  const imbalanced = loads.ratio > threshold;
  return { uploadId, baseUrl: reader.url, loads, threshold, imbalanced, chunks: head.chunks, writerId: head.writerId };
}

/** The plan. @throws integrity when a chunk is not in the store as the manifest says */
export function planBalance(analysis: Analysis, neighbours: Neighbours): BalancePlan {
  const { uploadId, writerId, chunks, loads, imbalanced } = analysis;
  const present = new Map(neighbours.folder.chunks.map((object) => [object.key, object]));
  const copies = copiesOf(analysis, neighbours);
  const around = { uploadId, writerId, neighbours, present, doubled: doubledOf(copies, neighbours) };
  refuseMissing(analysis, present);
  const reasons = chunks.map((chunk) => stayReason(chunk, around));
  const movable = chunks.flatMap(({ shard, size }, id) => (reasons[id] === undefined ? [{ id, shard, size }] : []));
  const bytes = loads.shards.map(({ storedBytes }) => storedBytes);
  const places = planMoves(bytes, movable);
  const moves = [...places].flatMap(([id, toShard]) => moveOf(uploadId, chunks[id], toShard));
  const moved = chunks.map((chunk, id) => ({ ...chunk, shard: places.get(id) ?? chunk.shard }));
  return {
    ...analysis,
    moves: imbalanced ? moves : [],
    after: imbalanced ? shardLoads(moved, loads.shards.length) : loads,
    staying: stayingOf(chunks, reasons),
    leftovers: leftoversOf(copies, moves, neighbours),
  };
}

function moveOf(uploadId: string, chunk: ChunkRecord | undefined, toShard: number): readonly Move[] {
  const from = chunk && chunkKey(uploadId, chunk.key);
  const name = from && chunkName(from.slice(`uploads/${uploadId}/`.length));
  if (chunk === undefined || from === undefined || name === undefined) return [];
  const to = `uploads/${uploadId}/${shardPrefix(toShard)}/${name}`;
  const { shard: fromShard, size: sizeBytes, sha256 } = chunk;
  return [{ from, to, fromShard, toShard, sizeBytes, sha256 }];
}

function refuseMissing({ uploadId, baseUrl, chunks }: Analysis, present: ReadonlyMap<string, ObjectInfo>): void {
  for (const chunk of chunks) {
    const key = chunkKey(uploadId, chunk.key);
    if (key === undefined || !key.startsWith(`uploads/${uploadId}/`) || chunkName(chunk.key) === undefined) continue;
    const found = present.get(key);
    if (found?.sizeBytes === chunk.size) continue;
    const what = found === undefined ? 'is missing' : `has ${found.sizeBytes} bytes instead of ${chunk.size}`;
    throw integrityError(`no chunk was moved: ${key} ${what}`, {
      hint: `archiver verify ${baseUrl}/uploads/${uploadId}`,
    });
  }
}

/** Objects with the number of a chunk that the manifest names in another shard. */
function copiesOf({ uploadId, chunks }: Analysis, { folder }: Neighbours): readonly ObjectInfo[] {
  const named = new Set(chunks.map(({ key }) => key));
  const names = new Set([...named].map(chunkName));
  return folder.chunks.filter(({ key }) => {
    const relative = key.slice(`uploads/${uploadId}/`.length);
    const name = chunkName(relative);
    return name !== undefined && !named.has(relative) && names.has(name);
  });
}

/** Names of chunks whose copy has to stay where it is. */
function doubledOf(copies: readonly ObjectInfo[], { referred }: Neighbours): ReadonlySet<string> {
  return new Set(copies.flatMap(({ key }) => (referred.has(key) ? [key.slice(key.lastIndexOf('/') + 1)] : [])));
}

/**
 * What may go at once. Not what a balance of this layout copies (whatever its threshold): the same plan always comes out,
 * so that another run may be about to name these, and this one can go on with them.
 */
function leftoversOf(
  copies: readonly ObjectInfo[],
  moves: readonly Move[],
  { folder, referred, building }: Neighbours,
): readonly ObjectInfo[] {
  const targets = new Set(moves.map(({ to }) => to));
  const useless = copies.filter(({ key }) => !targets.has(key) && !referred.has(key));
  const beside = folder.companions.filter(({ key }) => /\.(balance|pre-balance\.bak)$/.test(key));
  // A writer that remembers the list from before the move knows these chunks by their old keys.
  return [...(building.length === 0 ? useless : []), ...beside];
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

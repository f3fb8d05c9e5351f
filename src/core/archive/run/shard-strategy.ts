// Chooses the shard of each entry. Shards are key prefixes: they spread requests in the store and let a part be fetched.
import { type RawPath, baseName, parentOf } from '../../platform/paths/raw-path.js';

export const SHARD_STRATEGIES = ['round-robin', 'hash', 'size', 'type', 'directory'] as const;
export type ShardStrategy = (typeof SHARD_STRATEGIES)[number];

const GIB = 2 ** 30;

/**
 * Returns the number of shards for `--shard-count 0`: 4 below 1 GiB, 8 below 64 GiB, 16 below 1 TiB, otherwise 32; 8 when the size is not
 * known.
 */
export function autoShardCount(bytes: number | undefined): number {
  if (bytes === undefined || !Number.isFinite(bytes)) return 8;
  if (bytes < GIB) return 4;
  if (bytes < 64 * GIB) return 8;
  return bytes < 1024 * GIB ? 16 : 32;
}

/** Entries that go to one shard together: an entry, a hard link group, or a whole file that has to be cut. */
export interface Unit {
  readonly path: RawPath;
  readonly bytes: number;
}

/**
 * Returns the shard of every unit, for the strategies that decide by unit. `round-robin` deals out whole chunks instead (chunk-plan.ts), so
 * that neighbours stay together.
 */
export function assignShards(
  units: readonly Unit[],
  strategy: Exclude<ShardStrategy, 'round-robin'>,
  shards: number,
): Uint8Array {
  if (strategy === 'hash') return Uint8Array.from(units, (unit) => hash(unit.path) % shards);
  if (strategy === 'size') return byLoad(units, shards, (_unit, index) => index);
  return byLoad(units, shards, strategy === 'type' ? (unit) => extension(unit.path) : (unit) => parentOf(unit.path));
}

// Groups go whole, largest first, to the shard that holds least so far.
function byLoad(
  units: readonly Unit[],
  shards: number,
  keyOf: (unit: Unit, index: number) => string | number,
): Uint8Array {
  const groups = new Map<string | number, { bytes: number; readonly members: number[] }>();
  units.forEach((unit, index) => {
    const key = keyOf(unit, index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { bytes: unit.bytes + 1, members: [index] });
    else {
      group.bytes += unit.bytes + 1;
      group.members.push(index);
    }
  });
  const load = new Float64Array(shards);
  const result = new Uint8Array(units.length);
  for (const group of [...groups.values()].sort((a, b) => b.bytes - a.bytes)) {
    const shard = load.indexOf(Math.min(...load));
    load[shard] = (load[shard] ?? 0) + group.bytes;
    for (const index of group.members) result[index] = shard;
  }
  return result;
}

// FNV-1a: the same path goes to the same shard in every upload.
function hash(path: RawPath): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < path.length; i++) value = Math.imul(value ^ path.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Returns the lower-case extension without the dot, '' if there is none. */
export function extension(path: RawPath): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

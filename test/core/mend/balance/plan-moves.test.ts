import { describe, expect, test } from 'vitest';
import { planMoves } from '../../../../src/core/mend/balance/plan-balance.js';
import { shardLoads } from '../../../../src/core/mend/balance/shard-loads.js';

interface Chunk {
  readonly id: number;
  readonly shard: number;
  readonly size: number;
}

const loadsOf = (shards: number, chunks: readonly Chunk[]): number[] =>
  shardLoads(chunks, shards).shards.map(({ storedBytes }) => storedBytes);
const chunksOf = (...shards: readonly (readonly number[])[]): Chunk[] =>
  shards.flatMap((sizes, shard) => sizes.map((size) => ({ shard, size }))).map((chunk, id) => ({ ...chunk, id }));
const moved = (chunks: readonly Chunk[], places: ReadonlyMap<number, number>): Chunk[] =>
  chunks.map((chunk) => ({ ...chunk, shard: places.get(chunk.id) ?? chunk.shard }));

/** The same numbers for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe('loads', () => {
  test('the average counts shards that hold nothing', () => {
    const loads = shardLoads(chunksOf([10, 20], [30]), 6);

    expect(loads).toMatchObject({ totalBytes: 60, averageBytes: 10, largestBytes: 30, ratio: 3 });
    expect(loads.shards.map(({ chunks }) => chunks)).toEqual([2, 1, 0, 0, 0, 0]);
  });

  test('a chunk in a shard beyond the count adds shards; nothing stored is even', () => {
    expect(shardLoads([{ shard: 7, size: 8 }], 2)).toMatchObject({ averageBytes: 1, ratio: 8 });
    expect(shardLoads([], 4)).toMatchObject({ ratio: 1, averageBytes: 0 });
  });
});

describe('moves', () => {
  test('one chunk each from the full shard to the empty ones', () => {
    const chunks = chunksOf([10, 10, 10, 10], [], [], []);

    const places = planMoves(loadsOf(4, chunks), chunks);

    expect(new Set(places.values())).toEqual(new Set([1, 2, 3]));
  });

  test('nothing where nothing helps: one chunk, chunks that are even, chunks that may not move', () => {
    expect(planMoves([100, 0, 0], chunksOf([100])).size).toBe(0);
    expect(planMoves([100, 100], chunksOf([60, 40], [50, 50])).size).toBe(0);
    expect(planMoves([100, 0], []).size).toBe(0);
  });

  test('a shard that cannot be helped does not keep the next one from being helped', () => {
    const chunks = chunksOf([], [20, 20, 20], []);

    const places = planMoves([100, 60, 0], chunks);

    expect([...places.values()]).toEqual([2]);
  });

  test('of any layout: never a heavier largest shard, never a chunk lost, and always the same', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed);
      const shards = 2 + random(12);
      const chunks = Array.from({ length: random(60) }, (_, id) => ({
        id,
        shard: random(1 + random(shards)),
        size: 1 + random(random(2) === 0 ? 10 : 1000),
      }));
      const fixed = Array.from({ length: shards }, () => random(500) * random(2));
      const loads = loadsOf(shards, chunks).map((bytes, shard) => bytes + (fixed[shard] ?? 0));

      const places = planMoves(loads, chunks);

      const after = loadsOf(shards, moved(chunks, places)).map((bytes, shard) => bytes + (fixed[shard] ?? 0));
      const sum = (list: readonly number[]): number => list.reduce((total, bytes) => total + bytes, 0);
      expect([seed, sum(after)]).toEqual([seed, sum(loads)]);
      expect(Math.max(...after)).toBeLessThanOrEqual(Math.max(...loads));
      expect([...places].every(([id, shard]) => chunks[id]?.shard !== shard && shard < shards)).toBe(true);
      expect(planMoves(loads, chunks)).toEqual(places);
      // Many small chunks that may all move come close to even.
      const largest = Math.max(...chunks.map(({ size }) => size));
      const isFree = sum(fixed) === 0 && chunks.length > 0;
      expect(!isFree || Math.max(...after) <= (sum(after) / shards) * 1.1 + largest).toBe(true);
    }
  });
});

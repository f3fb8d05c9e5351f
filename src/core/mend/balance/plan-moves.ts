// Which chunks move to which shard, so that the largest shard comes close to the average with few moves. Repeatedly, the
// chunk closest to half of the difference moves from the heaviest shard to the lightest. Each move makes the sum of squares
// smaller, so this ends; chunks stay whole, so it may end above the average.

/** A shard this close to the average is left alone: evening out the rest costs copies and gains nothing. */
const CLOSE_ENOUGH = 1.1;

export interface MovableChunk {
  readonly id: number;
  readonly shard: number;
  readonly size: number;
}

/** `loads` are the stored bytes of every shard. Returns the new shard of each chunk that moves, by its id. */
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

// The id decides between equals, so that the same upload always gets the same plan.
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

/** Position of the chunk whose move evens out most; undefined when every move would only reverse the difference. */
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

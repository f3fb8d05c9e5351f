// Which entries a part of a restore writes. The manifest is read once, in path order, by every part, and each comes to the same answer: a chunk
// goes to the part with the least so far when its first entry comes, and takes all of its entries along. So nothing has to be known
// beforehand, of a selection either, and a part keeps no more than its own entries.
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import type { Part } from '../../platform/part.js';
import { parentOf, type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { STATE, type SelectedTable } from './selected-table.js';

/** Bytes that take about as long to fetch as one entry to write. */
const ENTRY_BYTES = 64 * 1024;
/** Entries without content go to the parts by turns of so many, which mostly lie in one folder. */
const TURN = 64;

export class PartShare {
  private readonly loads: Float64Array;
  private readonly chunks = new Map<number, number>();
  private readonly linkGroups = new Map<number, number>();
  private empty = 0;

  constructor(private readonly part: Part) {
    this.loads = new Float64Array(part.of);
  }

  /** Tells whether the entry is one of this part. To be asked once about every selected entry, in path order. */
  takes({ chunk, segments, linkGroup }: Partial<Entry>, records: readonly ChunkRecord[]): boolean {
    const places = segments?.map((segment) => segment.chunk) ?? (chunk === undefined ? [] : [chunk]);
    // Names of one file stay together, whatever the manifest says of their content, and so do the pieces of a cut file.
    const known = (linkGroup === undefined ? undefined : this.linkGroups.get(linkGroup)) ?? this.partWith(places);
    const owner = known ?? (places.length === 0 ? Math.floor(this.empty++ / TURN) % this.part.of : this.leastLoaded());
    if (linkGroup !== undefined) this.linkGroups.set(linkGroup, owner);
    let load = ENTRY_BYTES;
    for (const place of places) {
      if (this.chunks.has(place)) continue;
      this.chunks.set(place, owner);
      load += records[place]?.size ?? 0;
    }
    this.loads[owner] = (this.loads[owner] ?? 0) + load;
    return owner === this.part.number - 1;
  }

  private partWith(places: readonly number[]): number | undefined {
    for (const place of places) {
      const owner = this.chunks.get(place);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  private leastLoaded(): number {
    let least = 0;
    for (let index = 1; index < this.loads.length; index++)
      if ((this.loads[index] ?? 0) < (this.loads[least] ?? 0)) least = index;
    return least;
  }
}

/** Leaves these folders to other parts, except for those that hold something of this one. Returns how many it leaves. */
export function leaveFolders(table: SelectedTable, foreign: readonly number[]): number {
  const { state } = table.columns;
  const left = new Map<RawPath, number>();
  for (const index of foreign) {
    state[index] = STATE.elsewhere;
    left.set(table.path(index), index);
  }
  let last: RawPath | undefined;
  let count = foreign.length;
  for (let index = 0; index < table.count; index++) {
    if (state[index] === STATE.elsewhere) continue;
    const folder = parentOf(table.path(index));
    if (folder === last) continue;
    last = folder;
    for (let above = folder; above !== TOP; above = parentOf(above)) {
      const found = left.get(above);
      if (found === undefined || state[found] !== STATE.elsewhere) continue;
      state[found] = STATE.waiting;
      count--;
    }
  }
  return count;
}

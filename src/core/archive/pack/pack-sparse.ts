// Packs a file with holes as GNU sparse 1.0: a map of the data extents, then the extents. The checksum is that of the
// whole file, its holes as zeros.
import type { PackState } from './pack-state.js';
import { padded } from '../../format/tar/tar-block.js';
import { sparseMap, sparseMember } from '../../format/tar/sparse-map.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

type Extent = readonly [offset: number, length: number];

/** Packs the file; false when it changed meanwhile, undefined when it has no holes after all. */
export function packSparse(
  state: PackState,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, RawPath> | undefined,
  plannedBytes: number,
): boolean | undefined {
  const { deps, frames } = state;
  const c = deps.table.columns;
  state.refresh(index, fd);
  const size = c.size[index] ?? 0;
  const extents = deps.fs.extents(fd, size);
  if (extents === undefined) return undefined;
  const map = sparseMap(extents, size);
  const dataBytes = extents.reduce((sum, [, length]) => sum + length, 0);
  state.checkGrowth(dataBytes, plannedBytes);
  const path = deps.table.path(index);
  const { path: stand, records } = sparseMember(path, size);
  const pax = new Map<string, RawPath>([...records, ...(xattrs ?? [])]);
  state.header({ ...state.member(index, '0', map.length + dataBytes, pax), path: stand });
  frames.write(map);
  c.offset[index] = frames.position;
  const complete = copyExtents(state, index, fd, extents, size);
  state.countBytes(size - dataBytes);
  frames.zeros(padded(dataBytes) - dataBytes);
  state.examine(fd);
  state.extras.set(index, { ...state.extras.get(index), holes: holesBetween(extents, size) });
  return complete && !state.differs(index);
}

/** Copies the data extents; false when data ended early, whose missing bytes are stored as zeros. */
function copyExtents(state: PackState, index: number, fd: number, extents: readonly Extent[], size: number): boolean {
  const digests = state.newDigests();
  let at = 0;
  let complete = true;
  for (const [offset, length] of extents) {
    state.hashZeros(offset - at, digests);
    const missing = length - state.copyData(fd, offset, length, digests);
    if (missing > 0) {
      complete = false;
      state.zeroData(missing, digests);
    }
    at = offset + length;
  }
  state.hashZeros(size - at, digests);
  digests.writeTo(state.deps.table, index);
  return complete;
}

export function holesBetween(extents: readonly Extent[], size: number): Extent[] {
  const holes: Extent[] = [];
  let at = 0;
  for (const [offset, length] of extents) {
    if (offset > at) holes.push([at, offset - at]);
    at = offset + length;
  }
  if (at < size) holes.push([at, size - at]);
  return holes;
}

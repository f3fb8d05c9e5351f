// Packs a file with holes as GNU sparse 1.0: a map of the data extents, then the extents. The checksum is that of the
// whole file, its holes as zeros.
import type { Md5, PackContext } from './pack-context.js';
import { padded } from './pack-context.js';

type Extent = readonly [offset: number, length: number];
const ZEROS = Buffer.alloc(1 << 20);

/** False when the file has no holes after all. */
export function packSparse(
  context: PackContext,
  index: number,
  fd: number,
  xattrs: ReadonlyMap<string, string> | undefined,
): boolean {
  const { deps, frames } = context;
  context.refresh(index, fd);
  const c = deps.table.columns;
  const size = c.size[index] ?? 0;
  const extents = deps.fs.extents(fd, size);
  if (extents === undefined) return false;
  const map = sparseMap(extents, size);
  const dataBytes = extents.reduce((sum, [, length]) => sum + length, 0);
  const path = deps.table.path(index);
  const pax = new Map([
    ['GNU.sparse.major', '1'],
    ['GNU.sparse.minor', '0'],
    ['GNU.sparse.name', path],
    ['GNU.sparse.realsize', String(size)],
    ...(xattrs ?? []),
  ]);
  const slash = path.lastIndexOf('/') + 1;
  const stand = `${path.slice(0, slash)}GNUSparseFile.0/${path.slice(slash)}`;
  context.header({ ...context.member(index, '0', map.length + dataBytes, pax), path: stand });
  frames.write(map);
  c.offset[index] = frames.position;
  const complete = copyExtents(context, index, fd, extents, size);
  frames.zeros(padded(dataBytes) - dataBytes);
  deps.fs.fstat(fd, context.stat);
  context.settle(index, complete && !context.differs(index));
  context.extras.set(index, { ...context.extras.get(index), holes: holesBetween(extents, size) });
  return true;
}

/** False when data ended early; what is missing is stored as zeros. */
function copyExtents(
  context: PackContext,
  index: number,
  fd: number,
  extents: readonly Extent[],
  size: number,
): boolean {
  const md5 = context.newMd5();
  let at = 0;
  let complete = true;
  for (const [offset, length] of extents) {
    hashZeros(context, md5, offset - at);
    const missing = length - context.copyData(fd, offset, length, md5);
    if (missing > 0) {
      complete = false;
      hashZeros(context, md5, missing);
      context.frames.zeros(missing);
    }
    at = offset + length;
  }
  hashZeros(context, md5, size - at);
  context.setMd5(index, md5);
  return complete;
}

function hashZeros(context: PackContext, md5: Md5, count: number): void {
  if (!context.deps.settings.fileChecksums) return;
  for (let left = count; left > 0; left -= ZEROS.length) {
    md5.update(left < ZEROS.length ? ZEROS.subarray(0, left) : ZEROS);
  }
}

function sparseMap(extents: readonly Extent[], size: number): Buffer {
  const [lastOffset, lastLength] = extents.at(-1) ?? [-1, 0];
  // A file that ends in a hole needs an empty extent at its end, or readers would cut it short.
  const all = lastOffset + lastLength < size ? [...extents, [size, 0] as const] : extents;
  const text = `${all.length}\n${all.map(([offset, length]) => `${offset}\n${length}\n`).join('')}`;
  return Buffer.from(text.padEnd(padded(text.length), '\0'), 'latin1');
}

function holesBetween(extents: readonly Extent[], size: number): Extent[] {
  const holes: Extent[] = [];
  let at = 0;
  for (const [offset, length] of extents) {
    if (offset > at) holes.push([at, offset - at]);
    at = offset + length;
  }
  if (at < size) holes.push([at, size - at]);
  return holes;
}

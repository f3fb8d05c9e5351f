// The map of a GNU sparse 1.0 member, which its data begin with, and the records of its header.
import {
  baseName,
  joinPath,
  parentOf,
  type RawPath,
  rawFromNumber,
  rawFromText,
} from '../../platform/paths/raw-path.js';
import { padded } from './tar-block.js';

type Extent = readonly [offset: number, length: number];

/** GNU tar keeps sparse files in a folder of this name. */
const STAND_IN = rawFromText('GNUSparseFile.0');

/** The map of these data extents of a file. */
export function sparseMap(extents: readonly Extent[], size: number): Buffer {
  const [lastOffset, lastLength] = extents.at(-1) ?? [-1, 0];
  // A file that ends in a hole needs an empty extent at its end, or readers would cut it short.
  const all = lastOffset + lastLength < size ? [...extents, [size, 0] as const] : extents;
  const text = `${all.length}\n${all.map(([offset, length]) => `${offset}\n${length}\n`).join('')}`;
  return Buffer.from(text.padEnd(padded(text.length), '\0'), 'latin1');
}

/** The records of a sparse file, and the name that its member has. */
export const sparseMember = (
  path: RawPath,
  size: number,
): { readonly path: RawPath; readonly records: readonly (readonly [string, RawPath])[] } => ({
  path: joinPath(joinPath(parentOf(path), STAND_IN), baseName(path)),
  records: [
    ['GNU.sparse.major', rawFromNumber(1)],
    ['GNU.sparse.minor', rawFromNumber(0)],
    ['GNU.sparse.name', path],
    ['GNU.sparse.realsize', rawFromNumber(size)],
  ],
});

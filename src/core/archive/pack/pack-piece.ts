// What all pieces of cut files have in common: the member of the tar stream, and the holes of the whole file.
import type { FilePiece } from '../../format/chunk/cut-file.js';
import { partMember } from './part-member.js';
import type { PackState } from './pack-state.js';
import { holesBetween } from './pack-sparse.js';

/** Writes the header of a piece, with the attributes if it is the first or the last: for people who join them, and for the manifest. */
export function pieceHeader(state: PackState, index: number, piece: FilePiece, fd: number): void {
  const { table, fs } = state.deps;
  const hasXattrs = piece.number === 1 || piece.number === piece.of;
  const xattrs = hasXattrs ? state.keepXattrs(index, fs.xattrs(fd)) : undefined;
  state.header(partMember(state.member(index, '0', piece.size, xattrs), piece, table.columns.size[index] ?? 0));
}

/** Records the holes of a cut file. They are stored as zeros, but a restore need not write them. */
export function keepHoles({ extras, deps }: PackState, index: number, fd: number): void {
  const { size, allocated } = deps.table.columns;
  const bytes = size[index] ?? 0;
  const extents = (allocated[index] ?? 0) < bytes ? deps.fs.extents(fd, bytes) : undefined;
  if (extents !== undefined) extras.set(index, { ...extras.get(index), holes: holesBetween(extents, bytes) });
}

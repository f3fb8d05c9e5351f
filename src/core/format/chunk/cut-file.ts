// How a file that does not fit a chunk is cut. Pure.
import { padded } from '../tar/tar-block.js';

/** So many pieces, each of so many bytes; the last one has what is left. */
export interface FileCut {
  readonly of: number;
  readonly pieceBytes: number;
}

/** A piece by its number, which counts from 1. */
export interface FilePiece {
  readonly number: number;
  readonly of: number;
  readonly offset: number;
  readonly size: number;
}

/** Cuts a file into the fewest pieces. A chunk is whole blocks, so the last piece is never empty. */
export function cutFile(size: number, chunkBytes: number): FileCut {
  const of = Math.ceil(size / chunkBytes);
  return { of, pieceBytes: padded(size / of) };
}

/** A piece of a file of `size` bytes. */
export function pieceOf(size: number, { of, pieceBytes }: FileCut, number: number): FilePiece {
  const offset = (number - 1) * pieceBytes;
  return { number, of, offset, size: Math.min(pieceBytes, size - offset) };
}

/** Bytes of the pieces `first` to `last`. */
export const bytesOfPieces = (
  size: number,
  { first, last, pieceBytes }: FileCut & { readonly first: number; readonly last: number },
): number => Math.min(last * pieceBytes, size) - (first - 1) * pieceBytes;

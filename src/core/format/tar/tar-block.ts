/** Bytes of a block: a header is one block, and data fill whole blocks. */
export const BLOCK = 512;

/** Rounds a number of bytes up to whole blocks. */
export const padded = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK;

/** Bytes that an entry takes in a tar stream: header, a likely pax header, data to the next block. */
export const tarBytes = (size: number): number => 3 * BLOCK + padded(size);

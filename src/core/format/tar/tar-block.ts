/** Bytes of a block: headers are one, and data fill whole ones. */
export const BLOCK = 512;

/** The bytes of the blocks that so many bytes fill. */
export const padded = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK;

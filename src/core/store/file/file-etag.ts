import type { BigIntStats } from 'node:fs';

/**
 * Returns the ETag of a file, from `stat` with `bigint`. It identifies a state: a rewritten file is a new inode, a changed one has a new
 * time or size.
 */
export const fileEtag = (info: BigIntStats): string =>
  `${info.ino.toString(16)}-${info.mtimeNs.toString(16)}-${info.size.toString(16)}`;

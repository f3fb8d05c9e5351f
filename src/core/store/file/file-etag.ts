// Identifies a state of a file: a rewritten file is a new inode, a changed one has a new time or size.
import type { BigIntStats } from 'node:fs';

/** The ETag of a file, from `stat` with `bigint`. */
export const fileEtag = (info: BigIntStats): string =>
  `${info.ino.toString(16)}-${info.mtimeNs.toString(16)}-${info.size.toString(16)}`;

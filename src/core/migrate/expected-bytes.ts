import { isArchiverError } from '../failures/errors.js';
import { readFrameHeader } from '../codec/zstd-frame.js';
import type { ArchiveFormat } from './archive-format.js';

/**
 * How many bytes the archive will need at least, before it is read: what its first zstd frame says it holds, else what
 * is stored. A word of the data: good for refusing early, never for allowing.
 */
export function expectedBytes(format: ArchiveFormat, storedBytes: number, start: Buffer): number {
  if (format !== 'tar.zst') return storedBytes;
  try {
    return Math.max(storedBytes, readFrameHeader(start).contentSize ?? 0);
  } catch (error) {
    if (isArchiverError(error, 'integrity')) return storedBytes; // a skippable frame comes first, or it is damaged
    throw error;
  }
}

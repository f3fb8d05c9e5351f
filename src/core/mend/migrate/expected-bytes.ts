import { readFrameHeader } from '../../platform/codec/zstd-frame.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ArchiveFormat } from './archive-format.js';

/**
 * Estimates the least number of bytes that the archive needs, before it is read: what its first zstd frame announces, or else its stored
 * size. The data says so itself, so it is good for refusing early, never for allowing.
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

// Looks at the folder of an attempt: everything that its result names must be there with its size, and no mark may name it.
import { checkFolder } from '../../dataset/check-references.js';
import { loadSegments } from '../../format/manifest/load-segments.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import type { PartResult } from './part-documents.js';

/** A part whose result, and all that it refers to, was seen. */
export interface WholePart {
  readonly result: PartResult;
  /** Keys are relative to the folder of the attempt. */
  readonly chunks: readonly ChunkRecord[];
}

/**
 * Reads which chunks the segments of a part refer to, and looks at these and at the segments in its folder. Returns why it is not whole
 * instead, as a clause. @throws what the store throws
 */
async function checkAttempt(
  reader: ObjectReader,
  result: PartResult,
  signal: AbortSignal,
): Promise<WholePart | string> {
  const { uploadId, segments } = result;
  const folder = uploadFolder(uploadId);
  const { sound } = await checkFolder(reader, folder, signal);
  const isLost = ({ key, size }: { readonly key: string; readonly size: number }): boolean => {
    const full = chunkKey(uploadId, key) ?? '';
    return full.startsWith(folder) && sound.get(full)?.sizeBytes !== size;
  };
  const lostSegment = segments.find(isLost);
  if (lostSegment !== undefined) return goneText(folder + lostSegment.key);
  try {
    const { chunks } = await loadSegments({ uploadId, segments, chunks: [] }, { reader, signal });
    const lost = chunks.find(isLost);
    return lost === undefined ? { result, chunks } : goneText(folder + lost.key);
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    return error.message;
  }
}

const goneText = (key: string): string => `${printable(key)} is gone, changed or marked`;

/** Returns the first attempt that is whole; undefined if none is. `onBroken` gets what is wrong with others. */
export async function firstWhole(
  reader: ObjectReader,
  results: readonly PartResult[],
  signal: AbortSignal,
  onBroken: (text: string) => void,
): Promise<WholePart | undefined> {
  for (const result of results) {
    const checked = await checkAttempt(reader, result, signal);
    if (typeof checked !== 'string') return checked;
    onBroken(`the result of part ${result.part} by ${result.uploadId} counts for nothing: ${checked}`);
  }
  return undefined;
}

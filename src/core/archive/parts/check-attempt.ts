// Looks at the folder of an attempt: everything that its result names must be there with its size, and no mark may name it.
import { checkFolder } from '../../dataset/check-references.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import type { PartResult } from './part-documents.js';
import { readSegment, type ReadSegment } from './segments.js';

const READS_AT_ONCE = 8;

/** The content of a part that is whole. */
export interface WholePart {
  readonly result: PartResult;
  readonly segments: readonly ReadSegment[];
}

/**
 * Reads the segments of a part and looks at all that they refer to in its folder. Returns why it is not whole instead, as a clause.
 * @throws what the store throws
 */
export async function checkAttempt(
  reader: ObjectReader,
  result: PartResult,
  signal: AbortSignal,
): Promise<WholePart | string> {
  const { uploadId, segments: places } = result;
  const folder = uploadFolder(uploadId);
  const { sound } = await checkFolder(reader, folder, signal);
  const segments: ReadSegment[] = [];
  const wanted: Pick<ChunkRecord, 'key' | 'size'>[] = [...places];
  try {
    await forEachLimit(places.entries(), READS_AT_ONCE, async ([position, place]) => {
      const segment = await readSegment(reader, uploadId, place, signal);
      segments[position] = segment;
      wanted.push(...segment.chunks);
    });
  } catch (error) {
    if (!isArchiverError(error, 'not-found', 'integrity')) throw error;
    return error.message;
  }
  const lost = wanted.find(({ key, size }) => {
    const full = chunkKey(uploadId, key) ?? '';
    return full.startsWith(folder) && sound.get(full)?.sizeBytes !== size;
  });
  return lost === undefined ? { result, segments } : `${printable(folder + lost.key)} is gone, changed or marked`;
}

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

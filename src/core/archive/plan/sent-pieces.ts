// Finds pieces of cut files that an interrupted run has sent, in the plan of the upload that continues it.
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import type { SentPiece, UploadRun } from '../run/upload-run.js';

/**
 * Returns the records of a chunk and its direct files as this upload's manifest names them, which may have another id than the chunk was
 * sent under.
 */
export function ownRecords(uploadId: UploadId, { key, record, direct = [] }: AcknowledgedChunk): ChunkRecord[] {
  const folder = key.slice(0, -record.key.length);
  return [record, ...direct].map((each) => {
    const full = folder + each.key;
    const relative = relativeChunkKey(uploadId, full);
    return chunkKey(uploadId, relative) === full ? { ...each, key: relative } : each;
  });
}

/** Marks the pieces in the lane of a cut file that were sent already. */
export function withSentPieces(lane: Lane, { resumed, uploadId }: Pick<UploadRun, 'resumed' | 'uploadId'>): Lane {
  const [first] = lane;
  const pieces = first?.part === undefined ? undefined : resumed?.pieces.get(first.entries[0] ?? -1);
  return pieces === undefined ? lane : lane.map((chunk) => withSent(chunk, pieces, uploadId));
}

function withSent(chunk: ChunkTask, pieces: readonly SentPiece[], uploadId: UploadId): ChunkTask {
  const { part } = chunk;
  const sent = pieces.find(
    ({ number, of, offset }) => number === part?.number && of === part.of && offset === part.offset,
  );
  return sent === undefined ? chunk : { ...chunk, sent: ownRecords(uploadId, sent.chunk)[0] ?? sent.chunk.record };
}

// What an interrupted run has left in the store, as the upload that goes on uses it: rows that are stored already, and
// pieces of cut files that need not be sent again.
import { loadCodec } from '../codec/codec.js';
import { chunkKey, relativeChunkKey } from '../manifest/manifest-check.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import { matchRows, type SentPiece } from '../resume/match-rows.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import type { ChunkJob, Lane } from './chunk-plan.js';
import type { UploadJob } from './upload-job.js';

export interface ResumedUpload {
  /** They are in the store. */
  readonly chunks: readonly AcknowledgedChunk[];
  /** Data in a chunk, as it was planned. */
  readonly chunkBytes: number;
  /** By row: of files that are to be packed. */
  readonly pieces: Map<number, readonly SentPiece[]>;
}

/** Marks what is stored already, and takes the chunks that it lies in into the books. @throws integrity for a damaged journal */
export function takeOverSent(job: UploadJob): void {
  const { resumed, ledger, options } = job;
  if (resumed === undefined) return;
  const { table, extras } = ledger;
  const { fileChecksums } = options;
  const { used, pieces } = matchRows({ table, extras, chunks: resumed.chunks, codec: loadCodec(), fileChecksums });
  for (const chunk of resumed.chunks) if (used.has(chunk.record.chunk)) ledger.adopt(ownRecord(job, chunk));
  resumed.pieces.clear();
  for (const [row, found] of pieces) resumed.pieces.set(row, found);
}

/** The record as this upload's manifest names it, which may go by another id than the chunk was sent under. */
function ownRecord({ uploadId }: UploadJob, { key, record }: AcknowledgedChunk): ChunkRecord {
  const relative = relativeChunkKey(uploadId, key);
  return chunkKey(uploadId, relative) === key ? { ...record, key: relative } : record;
}

/** The lane of a cut file with what of it was sent. */
export function withSentPieces(lane: Lane, job: UploadJob): Lane {
  const [first] = lane;
  const pieces = first?.part === undefined ? undefined : job.resumed?.pieces.get(first.entries[0] ?? -1);
  return pieces === undefined ? lane : lane.map((chunk) => withSent(chunk, pieces, job));
}

function withSent(chunk: ChunkJob, pieces: readonly SentPiece[], job: UploadJob): ChunkJob {
  const { part } = chunk;
  const sent = pieces.find(
    ({ number, of, offset }) => number === part?.number && of === part.of && offset === part.offset,
  );
  return sent === undefined ? chunk : { ...chunk, sent: ownRecord(job, sent.chunk) };
}

// Entries in the journal of an upload: its plan, and each chunk that the store has acknowledged.
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { AcknowledgedChunk, JournalPlan } from '../resume/upload-journal.js';
import type { UploadRun } from '../run/upload-run.js';
import type { ChunkTask } from '../run/chunk-task.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { UploadPlan } from '../plan/plan-upload.js';
import { uploadFolder } from '../../store/ids/upload-id.js';

export type JournalInput = Pick<
  UploadRun,
  'packing' | 'scanned' | 'ledger' | 'resumed' | 'uploadId' | 'datasetId' | 'createdAt'
>;

/** Returns the plan as the journal records it. To be called once all its chunks are expected. */
export function journalPlan(run: JournalInput, plan: UploadPlan): JournalPlan {
  const { packing, scanned, resumed, uploadId, datasetId, createdAt } = run;
  const sent = resumed?.chunks ?? [];
  return {
    uploadId,
    datasetId,
    createdAt,
    files: scanned.files,
    bytes: scanned.bytes,
    filesDone: Math.max(0, scanned.files - plan.pending.files),
    bytesDone: Math.max(0, scanned.bytes - plan.pending.bytes),
    chunksDone: sent.length,
    storedBytesDone: sent.reduce((sum, { record }) => sum + record.size, 0),
    chunksPlanned: plan.lanes.flat().length,
    chunkBytes: plan.chunkBytes,
    shards: plan.shards,
    frameBytes: packing.frameBytes,
    level: packing.compressionLevel,
  };
}

/** Returns a chunk with its table of contents, from which the upload can be resumed. */
export function acknowledgedChunk(
  { ledger, uploadId }: JournalInput,
  { part, entries }: ChunkTask,
  record: ChunkRecord,
  { output, size, tocSize, objects }: PackedChunk,
): AcknowledgedChunk {
  const isLast = part !== undefined && part.number === part.of;
  return {
    key: `${uploadFolder(uploadId)}${record.key}`,
    record,
    toc: output.subarray(size - tocSize, size),
    direct: objects.map((object) => object.record),
    segments: isLast ? ledger.extras.get(entries[0] ?? 0)?.segments : undefined,
  };
}

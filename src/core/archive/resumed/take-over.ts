// What an interrupted run has left in the store, as the upload that goes on uses it: rows that are stored already, and
// pieces of cut files that need not be sent again.
import { loadCodec } from '../../platform/codec/codec.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import type { UploadRun } from '../upload-run.js';
import type { ChunkTask, Lane } from '../plan/chunk-task.js';
import { matchRows, type SentPiece } from './match-rows.js';

type TakeOverInput = Pick<UploadRun, 'resumed' | 'ledger' | 'packing' | 'uploadId'>;

/** Marks what is stored already, and takes the chunks that it lies in into the books. @throws integrity for a damaged journal */
export function takeOverSent({ resumed, ledger, packing, uploadId }: TakeOverInput): void {
  if (resumed === undefined) return;
  const { table, extras } = ledger;
  const { fileChecksums } = packing;
  const { used, pieces } = matchRows({ table, extras, chunks: resumed.chunks, codec: loadCodec(), fileChecksums });
  for (const chunk of resumed.chunks) {
    const records = ownRecords(uploadId, chunk);
    if (records.some((record) => used.has(record.chunk))) for (const record of records) ledger.adopt(record);
  }
  resumed.pieces.clear();
  for (const [row, found] of pieces) resumed.pieces.set(row, found);
}

/**
 * The records as this upload's manifest names them, which may go by another id than the chunk was sent under: that of the
 * chunk, and those of its direct files.
 */
function ownRecords(uploadId: UploadId, { key, record, direct = [] }: AcknowledgedChunk): ChunkRecord[] {
  const folder = key.slice(0, -record.key.length);
  return [record, ...direct].map((each) => {
    const full = folder + each.key;
    const relative = relativeChunkKey(uploadId, full);
    return chunkKey(uploadId, relative) === full ? { ...each, key: relative } : each;
  });
}

/** The lane of a cut file with what of it was sent. */
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

// Takes over rows that an interrupted run has stored already into the ledger of the upload that continues it.
import { loadCodec } from '../../platform/codec/codec.js';
import type { UploadRun } from '../run/upload-run.js';
import { ownRecords } from '../plan/sent-pieces.js';
import { matchRows } from './match-rows.js';

type TakeOverInput = Pick<UploadRun, 'resumed' | 'ledger' | 'packing' | 'uploadId'>;

/** Marks what is stored already, and adds the chunks that hold it to the ledger. @throws integrity for a damaged journal */
export function adoptSent({ resumed, ledger, packing, uploadId }: TakeOverInput): void {
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

import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';

/** Shown while bytes have left that the store has not acknowledged. */
const NOT_ALL = 0.999;

/** The part that is done, 0 to 1, by bytes, or by items when there are no bytes; undefined while there is no total. */
export function doneFraction(snapshot: TransferSnapshot): number | undefined {
  const { itemsTotal, bytesTotal, itemsDone, bytesDone, read, chunksDone, chunksTotal = 0 } = snapshot;
  if (itemsTotal === undefined || bytesTotal === undefined) return undefined;
  if (bytesTotal > 0)
    return Math.min(read !== undefined && chunksDone < chunksTotal ? NOT_ALL : 1, bytesDone / bytesTotal);
  if (itemsTotal > 0) return Math.min(1, itemsDone / itemsTotal);
  return 1;
}

import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';

/** The bytes that the bar shows: bytes sent to the store, or bytes read or written when nothing is sent. */
export const movedBytes = ({ bytesSent, bytesDone }: TransferSnapshot): number => bytesSent ?? bytesDone;

/** The part that is done, 0 to 1, by bytes, or by items when there are no bytes; undefined while there is no total. */
export function doneFraction(snapshot: TransferSnapshot): number | undefined {
  const { itemsTotal, bytesTotal, itemsDone } = snapshot;
  if (itemsTotal === undefined || bytesTotal === undefined) return undefined;
  if (bytesTotal > 0) return Math.min(1, movedBytes(snapshot) / bytesTotal);
  if (itemsTotal > 0) return Math.min(1, itemsDone / itemsTotal);
  return 1;
}

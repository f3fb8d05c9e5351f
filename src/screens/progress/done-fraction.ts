import type { TransferSnapshot } from '../../stores/transfer-state.js';

/** How much is done, 0 to 1, by bytes, or by files where there are no bytes; undefined while there is no total. */
export function doneFraction(snapshot: TransferSnapshot): number | undefined {
  const { filesTotal, bytesTotal, filesDone, bytesDone } = snapshot;
  if (filesTotal === undefined || bytesTotal === undefined) return undefined;
  if (bytesTotal > 0) return Math.min(1, bytesDone / bytesTotal);
  if (filesTotal > 0) return Math.min(1, filesDone / filesTotal);
  return 1;
}

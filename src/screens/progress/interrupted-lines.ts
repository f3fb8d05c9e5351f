import { displayText } from '../../stores/display-text.js';
import { countText } from '../../stores/operations.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import type { Look } from '../../ui/look.js';
import { signText } from '../../ui/sign.js';
import { kindOf } from './progress-words.js';
import { keptThawText, readableText } from './thaw-words.js';

/** Lines about what an interrupted operation did and what it left. Empty when it had not begun. */
export function interruptedLines(snapshot: TransferSnapshot, look: Look): string[] {
  const noun = kindOf(snapshot)?.noun;
  if (noun === undefined) return [];
  const head = `${signText('warn', look)} ${noun} stopped after ${formatDuration(snapshot.elapsedMs)}: ${progressText(snapshot)}`;
  return [head, `  kept  ${keptText(snapshot, look)}`];
}

function progressText(snapshot: TransferSnapshot): string {
  if (snapshot.thaw !== undefined) return `waiting, ${readableText(snapshot.thaw)}`;
  const { unit, chunksDone, chunksTotal, itemsDone, itemsTotal, bytesDone, read } = snapshot;
  const moves = kindOf(snapshot)?.moves;
  if (itemsTotal === undefined) return moves === undefined ? 'nothing was done yet' : 'nothing was transferred yet';
  if (read !== undefined) return `${formatCount(chunksDone)} of ${formatQuantity(chunksTotal ?? 0, 'chunk')} sent`;
  const items = `${formatCount(itemsDone)} of ${countText(itemsTotal, unit, formatCount)}`;
  return moves === undefined ? items : `${items}, ${formatBytes(bytesDone)}`;
}

function keptText(snapshot: TransferSnapshot, look: Look): string {
  const { target, phase, thaw } = snapshot;
  if (thaw !== undefined) return keptThawText(thaw);
  const kind = kindOf(snapshot);
  if (kind?.keptInCommit !== undefined && (phase === 'committing' || phase === 'finishing')) return kind.keptInCommit;
  return kind?.kept(displayText(target, look)) ?? '';
}

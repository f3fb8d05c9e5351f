import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { formatBytes, formatCount, formatDuration, formatQuantity } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import { paintLine } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { OPERATION_WORDS } from './progress-words.js';
import { keptThawText, readableText } from './thaw-lines.js';

/** What an interrupted operation had done and what is left of it. Empty when it had not begun. */
export function interruptedLines(snapshot: TransferSnapshot, look: Look): string[] {
  if (snapshot.operation === undefined) return [];
  const { noun } = OPERATION_WORDS[snapshot.operation];
  const sign = paintLine([{ text: glyphsFor(look).attention, tone: 'attention' }], look);
  const head = `${sign} ${noun} stopped after ${formatDuration(snapshot.elapsedMs)}: ${progressText(snapshot)}`;
  return [head, `  kept  ${keptText(snapshot, look)}`];
}

function progressText(snapshot: TransferSnapshot): string {
  if (snapshot.thaw !== undefined) return `waiting, ${readableText(snapshot.thaw)}`;
  const { operation, chunksDone, chunksTotal, filesDone, filesTotal, bytesDone } = snapshot;
  if (filesTotal === undefined || chunksTotal === undefined) return 'nothing was transferred yet';
  if (operation === 'upload') return `${formatCount(chunksDone)} of ${formatQuantity(chunksTotal, 'chunk')} sent`;
  return `${formatCount(filesDone)} of ${formatQuantity(filesTotal, 'file')}, ${formatBytes(bytesDone)}`;
}

function keptText({ operation, target, phase, thaw }: TransferSnapshot, look: Look): string {
  if (thaw !== undefined) return keptThawText(thaw);
  switch (operation) {
    case 'upload':
      return phase === 'committing' || phase === 'finishing'
        ? 'committed uploads are untouched; this one may have been committed: archiver list shows it'
        : 'committed uploads are untouched; this one was not committed';
    case 'restore':
    case 'download':
      return `files already written stay in ${displayText(target, look)}`;
    case 'verify':
    case undefined:
      return 'verify changes nothing';
    default:
      return operation satisfies never;
  }
}

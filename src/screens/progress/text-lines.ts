// Progress as plain lines for logs: one fact a line, stamped, nothing that needs a terminal.
import { displayText } from '../../stores/display-text.js';
import type { Outcome } from '../../stores/reporter.js';
import { SKIPPED_SHOWN, type SkippedFile, type TransferSnapshot } from '../../stores/transfer-state.js';
import { formatBytes, formatBytesPair, formatDuration, formatPercent, formatTimestamp } from '../../ui/format.js';
import { doneFraction } from './done-fraction.js';
import { thawLogText } from './thaw-lines.js';

type Names = { readonly unicode: boolean };

// In a log line a number and its unit are one word.
const tight = (text: string): string => text.replaceAll(' ', '');

const stamped = (snapshot: TransferSnapshot, at: Date, text: string): string =>
  `${formatTimestamp(at)} ${snapshot.operation ?? 'archiver'} ${text}`;

/** What is being done; the first line. */
export function startLine(snapshot: TransferSnapshot, at: Date, look: Names): string {
  const target = snapshot.target === '' ? '' : ` to ${displayText(snapshot.target, look)}`;
  return stamped(snapshot, at, `${displayText(snapshot.source, look)}${target}`);
}

/** How much there is to do and with which settings. */
export function planLine(snapshot: TransferSnapshot, at: Date): string {
  const { filesTotal = 0, bytesTotal = 0, chunksTotal = 0, shards, compression } = snapshot;
  const parts = [
    `${filesTotal} files`,
    tight(formatBytes(bytesTotal)),
    `${chunksTotal} chunks`,
    ...(shards.length > 0 ? [`${shards.length} shards`] : []),
    ...(compression === undefined ? [] : [compression]),
  ];
  return stamped(snapshot, at, `plan: ${parts.join(', ')}`);
}

/** How far it is: `upload 61% 71.2/116GiB 8112/13290 files 118MiB/s eta=4m12s`. */
export function statusLine(snapshot: TransferSnapshot, at: Date): string {
  const fraction = doneFraction(snapshot);
  if (fraction === undefined) return stamped(snapshot, at, countingText(snapshot));
  const { done, total, unit } = formatBytesPair(snapshot.bytesDone, snapshot.bytesTotal ?? 0);
  const parts = [
    `${formatPercent(fraction)} ${done}/${total}${unit}`,
    `${snapshot.filesDone}/${snapshot.filesTotal ?? 0} files`,
    `${tight(formatBytes(snapshot.bytesPerSecond))}/s`,
    lastWord(snapshot),
  ];
  return stamped(snapshot, at, parts.join(' '));
}

function countingText({ phase, filesFound, bytesFound }: TransferSnapshot): string {
  return filesFound > 0 ? `${phase} ${filesFound} files ${tight(formatBytes(bytesFound))} so far` : phase;
}

function lastWord({ phase, etaMs, isStopping }: TransferSnapshot): string {
  if (isStopping) return 'stopping';
  if (phase !== 'transferring') return phase;
  return `eta=${etaMs === undefined ? '-' : tight(formatDuration(etaMs))}`;
}

/** How the chunks in cold storage stand. */
export function thawLine(snapshot: TransferSnapshot, at: Date): string {
  return stamped(snapshot, at, snapshot.thaw === undefined ? 'thawed' : thawLogText(snapshot.thaw));
}

/** A note from the engine. */
export function noteLine(snapshot: TransferSnapshot, at: Date, note: string, look: Names): string {
  return stamped(snapshot, at, `note: ${displayText(note, look)}`);
}

/** A file that was left out, and why. */
export function skipLine(snapshot: TransferSnapshot, at: Date, file: SkippedFile, look: Names): string {
  return stamped(snapshot, at, `skipped ${displayText(`${file.path}: ${file.reason}`, look)}`);
}

/** How it ended; the last line. */
export function endLine(snapshot: TransferSnapshot, at: Date, outcome: Outcome): string {
  const { filesDone, filesTotal, bytesDone, storedBytes, skippedCount } = snapshot;
  const files = filesTotal === undefined ? `${filesDone}` : `${filesDone}/${filesTotal}`;
  const skipped = skippedCount > 0 ? [`${skippedCount} skipped`] : [];
  const parts = [
    `${files} files`,
    tight(formatBytes(bytesDone)),
    `${tight(formatBytes(storedBytes))} stored`,
    ...skipped,
  ];
  const time = tight(formatDuration(snapshot.elapsedMs));
  return stamped(snapshot, at, `${outcome.status} after ${time}: ${parts.join(', ')}`);
}

/** Said once when more files are skipped than are named. */
export function moreSkippedLine(snapshot: TransferSnapshot, at: Date): string {
  return stamped(snapshot, at, `skipped more than ${SKIPPED_SHOWN} files; the result names them all`);
}

// Progress as plain lines for logs: one fact per line, with a timestamp and nothing that needs a terminal.
import { displayText } from '../../stores/display-text.js';
import type { Outcome } from '../../core/events/events.js';
import { countText } from '../../stores/operations.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { SKIPPED_SHOWN, type SkippedFile } from '../../stores/transfer-state.js';
import { formatBytes, formatBytesPair, formatDuration, formatPercent } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';
import { doneFraction } from './done-fraction.js';
import { isStored, skippedTexts } from './problem-lines.js';
import { kindOf, plannedCostText, ratesOf, retryText } from './progress-words.js';
import { thawLogText } from './thaw-words.js';

type Names = { readonly unicode: boolean };

// In a log line a number and its unit are one word.
const tight = (text: string): string => text.replaceAll(' ', '');

const stamped = (snapshot: TransferSnapshot, at: Date, text: string): string =>
  `${formatTimestamp(at)} ${snapshot.operation ?? 'archiver'} ${text}`;

/** The first line: source and target of the operation. */
export function startLine(snapshot: TransferSnapshot, at: Date, look: Names): string {
  const target = snapshot.target === '' ? '' : ` to ${displayText(snapshot.target, look)}`;
  return stamped(snapshot, at, `${displayText(snapshot.source, look)}${target}`);
}

const itemsText = ({ unit, itemsTotal = 0 }: TransferSnapshot, done?: number): string =>
  `${done === undefined ? '' : `${done}/`}${countText(itemsTotal, unit, String)}`;

/** The planned amount of work, and the settings. */
export function planLine(snapshot: TransferSnapshot, at: Date): string {
  const { bytesTotal = 0, unit, chunksTotal, shards, compression } = snapshot;
  const parts = [
    itemsText(snapshot),
    ...(hasBytes(snapshot) ? [tight(formatBytes(bytesTotal))] : []),
    ...(chunksTotal === undefined || unit === 'chunk' ? [] : [countText(chunksTotal, 'chunk', String)]),
    ...(shards.length > 0 ? [`${shards.length} ${shards.length === 1 ? 'shard' : 'shards'}`] : []),
    ...(compression === undefined ? [] : [compression]),
  ];
  return stamped(snapshot, at, `plan: ${parts.join(', ')}`);
}

/** The planned cost: `cost: $1.20 a month at most, …`. */
export const costLine = (snapshot: TransferSnapshot, at: Date): string =>
  stamped(snapshot, at, `cost: ${plannedCostText(snapshot) ?? ''}`);

/** True when bytes are counted, even if there are none. */
const hasBytes = (snapshot: TransferSnapshot): boolean => kindOf(snapshot)?.moves !== undefined;

/** The progress: `upload 61% 71.2/116GiB 8112/13290 files read 118MiB/s sent 61MiB/s eta=4m12s`. */
export function statusLine(snapshot: TransferSnapshot, at: Date): string {
  const fraction = doneFraction(snapshot);
  if (fraction === undefined) return stamped(snapshot, at, [countingText(snapshot), ...retrying(snapshot)].join(', '));
  const parts = [
    formatPercent(fraction),
    ...(hasBytes(snapshot) ? [bytesText(snapshot)] : []),
    itemsText(snapshot, snapshot.itemsDone),
    ...ratesOf(snapshot).map(({ verb, perSecond }) => `${verb} ${tight(formatBytes(perSecond))}/s`),
    lastWord(snapshot),
  ];
  return stamped(snapshot, at, [parts.join(' '), ...retrying(snapshot)].join(', '));
}

function bytesText({ bytesDone, bytesTotal = 0 }: TransferSnapshot): string {
  const { done, total, unit } = formatBytesPair(bytesDone, bytesTotal);
  return `${done}/${total}${unit}`;
}

/** A request that is sent again. */
export const retryLines = (snapshot: TransferSnapshot, at: Date): string[] =>
  retrying(snapshot).map((text) => stamped(snapshot, at, text));

const retrying = (snapshot: TransferSnapshot): string[] =>
  snapshot.retrying === undefined ? [] : [retryText(snapshot.retrying)];

function countingText(snapshot: TransferSnapshot): string {
  const { phase, unit, itemsFound, bytesFound } = snapshot;
  if (itemsFound === 0) return phase;
  const bytes = hasBytes(snapshot) ? ` ${tight(formatBytes(bytesFound))}` : '';
  return `${phase} ${countText(itemsFound, unit, String)}${bytes} so far`;
}

function lastWord({ phase, etaMs, isStopping }: TransferSnapshot): string {
  if (isStopping) return 'stopping';
  if (etaMs === undefined && phase !== 'transferring') return phase;
  return `eta=${etaMs === undefined ? '-' : tight(formatDuration(etaMs))}`;
}

/** The state of the chunks in cold storage. */
export function thawLine(snapshot: TransferSnapshot, at: Date): string {
  return stamped(snapshot, at, snapshot.thaw === undefined ? 'thawed' : thawLogText(snapshot.thaw));
}

/** A note from the engine. */
export function noteLine(snapshot: TransferSnapshot, at: Date, note: string, look: Names): string {
  return stamped(snapshot, at, `note: ${displayText(note, look)}`);
}

/** A file that was left out, and why; or one that is stored although it kept changing. */
export function skipLine(snapshot: TransferSnapshot, at: Date, file: SkippedFile, look: Names): string {
  if (isStored(file)) return stamped(snapshot, at, `stored ${displayText(file.path, look)}, which ${file.reason}`);
  return stamped(snapshot, at, `skipped ${displayText(`${file.path}: ${file.reason}`, look)}`);
}

/** The outcome; the last line. */
export function endLine(snapshot: TransferSnapshot, at: Date, outcome: Outcome): string {
  const { unit, itemsDone, itemsTotal, bytesDone, storedBytes } = snapshot;
  const items = itemsTotal === undefined ? countText(itemsDone, unit, String) : itemsText(snapshot, itemsDone);
  const stores = kindOf(snapshot)?.moves?.stored !== undefined;
  const parts = [
    items,
    ...(hasBytes(snapshot) ? [tight(formatBytes(bytesDone))] : []),
    ...(stores ? [`${tight(formatBytes(storedBytes))} stored`] : []),
    ...skippedTexts(snapshot, String),
  ];
  const time = tight(formatDuration(snapshot.elapsedMs));
  return stamped(snapshot, at, `${outcome.status} after ${time}: ${parts.join(', ')}`);
}

/** Written once when more files are skipped than are listed. */
export function moreSkippedLine(snapshot: TransferSnapshot, at: Date): string {
  return stamped(snapshot, at, `skipped more than ${SKIPPED_SHOWN} paths; the result names them all`);
}

import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { bar } from '../../ui/text-bar.js';
import { formatBytes, formatBytesPair, formatDuration, formatPercent, formatQuantity } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { doneFraction } from './done-fraction.js';

const SHORTEST_BAR = 10;
const LONGEST_ETA = '23h 59m left'.length;

/** The bar with its numbers, or what is known while there is no total yet. */
export function barLine(snapshot: TransferSnapshot, columns: number, look: Look): Line {
  const fraction = doneFraction(snapshot);
  if (fraction === undefined) return [{ text: countingText(snapshot) }];
  const numbers = fitNumbers(snapshot, fraction, columns);
  return [{ text: bar(fraction, columns - numbers.length, glyphsFor(look)), tone: 'accent' }, { text: numbers }];
}

function countingText({ filesFound, bytesFound, filesDone, bytesDone }: TransferSnapshot): string {
  if (filesDone > 0) return `${formatQuantity(filesDone, 'file')}, ${formatBytes(bytesDone)} so far`;
  if (filesFound > 0) return `scanning: ${formatQuantity(filesFound, 'file')}, ${formatBytes(bytesFound)} so far`;
  return 'starting';
}

// Each number has a fixed width, so the bar's end stays where it is while they change.
function fitNumbers(snapshot: TransferSnapshot, fraction: number, columns: number): string {
  const percent = formatPercent(fraction).padStart(6);
  const pair = formatBytesPair(snapshot.bytesDone, snapshot.bytesTotal ?? 0);
  const widest = Math.max(pair.total.length, '99.9'.length);
  const bytes = `  ${pair.done.padStart(widest)} of ${pair.total} ${pair.unit}`;
  const eta = `  ${etaText(snapshot).padStart(LONGEST_ETA)}`;
  const fits = [percent + bytes + eta, percent + bytes].find((text) => text.length + SHORTEST_BAR <= columns);
  return fits ?? percent;
}

function etaText({ etaMs, phase }: TransferSnapshot): string {
  return etaMs === undefined || phase !== 'transferring' ? '' : `${formatDuration(etaMs)} left`;
}

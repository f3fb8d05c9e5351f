import type { ReactElement } from 'react';
import { countText, type Unit } from '../../stores/operations.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { Bar } from '../../ui/bar.js';
import { formatBytes, formatBytesPair, formatCount, formatDuration, formatPercent } from '../../ui/format.js';
import { useSize } from '../../ui/size.js';
import { Spinner } from '../../ui/spinner.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { doneFraction } from './done-fraction.js';
import { kindOf, phaseText } from './progress-words.js';

const SHORTEST_BAR = 10;
const LONGEST_ETA = '23h 59m left'.length;

/** The bar with its numbers, or what has been counted while there is no total yet. */
export function BarRow({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns } = useSize();
  const { ellipsis } = useTheme().glyphs;
  const fraction = doneFraction(snapshot);
  if (fraction === undefined) return <Spinner label={cut(countingText(snapshot), columns - 2, 'end', ellipsis)} />;
  const numbers = fitNumbers(snapshot, fraction, columns);
  return (
    <Tint>
      <FullWhenDone fraction={fraction} width={columns - numbers.length} />
      {numbers}
    </Tint>
  );
}

/** A bar that is only full when everything is done. */
export function FullWhenDone({ fraction, width }: { readonly fraction: number; readonly width: number }): ReactElement {
  const halves = Math.max(0, width) * 2;
  const share = halves === 0 ? 0 : Math.floor(fraction * halves) / halves;
  return <Bar share={share} width={Math.max(0, width)} hasTrack />;
}

function countingText(snapshot: TransferSnapshot): string {
  const { itemsFound, bytesFound, itemsDone, bytesDone, unit } = snapshot;
  if (itemsDone > 0) return `${amountText(snapshot, itemsDone, unit, bytesDone)} so far`;
  const phase = phaseText(snapshot);
  return itemsFound > 0 ? `${phase}: ${amountText(snapshot, itemsFound, unit, bytesFound)} so far` : phase;
}

function amountText(snapshot: TransferSnapshot, items: number, unit: Unit, bytes: number): string {
  const count = countText(items, unit, formatCount);
  return kindOf(snapshot)?.moves === undefined ? count : `${count}, ${formatBytes(bytes)}`;
}

// Each number has a fixed width, so the bar's end stays where it is while they change.
function fitNumbers(snapshot: TransferSnapshot, fraction: number, columns: number): string {
  const percent = formatPercent(fraction).padStart(6);
  const done = `  ${doneText(snapshot)}`;
  const eta = `  ${etaText(snapshot).padStart(LONGEST_ETA)}`;
  const fits = [percent + done + eta, percent + done].find((text) => text.length + SHORTEST_BAR <= columns);
  return fits ?? percent;
}

function doneText(snapshot: TransferSnapshot): string {
  const { bytesDone, bytesTotal = 0, itemsDone, itemsTotal = 0, unit } = snapshot;
  if (bytesTotal === 0) {
    const total = countText(itemsTotal, unit, formatCount);
    return `${formatCount(itemsDone).padStart(formatCount(itemsTotal).length)} of ${total}`;
  }
  const pair = formatBytesPair(bytesDone, bytesTotal);
  return `${pair.done.padStart(Math.max(pair.total.length, '99.9'.length))} of ${pair.total} ${pair.unit}`;
}

const etaText = ({ etaMs }: TransferSnapshot): string => (etaMs === undefined ? '' : `${formatDuration(etaMs)} left`);

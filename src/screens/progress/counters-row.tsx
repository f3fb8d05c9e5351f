import type { ReactElement } from 'react';
import { countText } from '../../stores/operations.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatCount, formatQuantity, formatRate, formatSaving } from '../../ui/format.js';
import { fitByPriority } from '../../ui/fit-by-priority.js';
import { useSize } from '../../ui/size.js';
import { Tint } from '../../ui/theme.js';
import { kindOf, ratesOf } from './progress-words.js';

const GAP = '   ';

interface Part {
  readonly text: string;
  readonly priority: number;
}

/** True when there is something to show beside the bar. */
export const hasCounters = (snapshot: TransferSnapshot): boolean =>
  snapshot.itemsTotal !== undefined && partsOf(snapshot).length > 0;

/** Items, rates, ratio and chunks: the most useful first, as many as fit. */
export function CountersRow({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns } = useSize();
  const parts = partsOf(snapshot);
  const chunks = chunksTexts(snapshot).map((text) => ({ text, priority: 4 }));
  const longest = chunks.find((part) => widthOf([...parts, part]) <= columns) ?? chunks.at(-1);
  const all = longest === undefined ? parts : [...parts, longest];
  return (
    <Tint>
      {fitByPriority(all, columns, ({ text }) => text.length, GAP.length)
        .map(textOf)
        .join(GAP)}
    </Tint>
  );
}

const textOf = ({ text }: Part): string => text;
const widthOf = (parts: readonly Part[]): number => parts.map(textOf).join(GAP).length;

function partsOf(snapshot: TransferSnapshot): Part[] {
  const { itemsDone, itemsTotal = 0, unit, bytesTotal } = snapshot;
  // Without bytes, the bar's own numbers count the items.
  // The bar counts what was sent, and a file counts when it was read: all may be read long before the bar is full.
  const verb = snapshot.bytesSent === undefined ? '' : ' read';
  const items =
    bytesTotal === 0 ? '' : `${formatCount(itemsDone)} of ${countText(itemsTotal, unit, formatCount)}${verb}`;
  const rates = ratesOf(snapshot).map(({ verb, perSecond }, at) => ({
    text: `${verb} ${formatRate(perSecond)}`,
    priority: 1 + at,
  }));
  const parts = [{ text: items, priority: 0 }, ...rates, { text: ratioText(snapshot), priority: 3 }];
  return parts.filter(({ text }) => text !== '');
}

function ratioText({ ratio, bytesSent }: TransferSnapshot): string {
  return ratio === undefined || bytesSent === undefined ? '' : formatSaving(ratio);
}

/** Variants from the longest to the shortest. */
function chunksTexts(snapshot: TransferSnapshot): string[] {
  const { chunksDone, chunksTotal, chunksInFlight, retries, unit } = snapshot;
  const stored = kindOf(snapshot)?.moves?.stored;
  if (chunksTotal === undefined || unit === 'chunk' || stored === undefined) return [];
  const done = `${formatCount(chunksDone)} of ${formatQuantity(chunksTotal, 'chunk')}`;
  const retried = `${formatCount(retries)} retried`;
  return [
    `${done} ${stored}, ${formatCount(chunksInFlight)} in flight, ${retried}`,
    `${done}, ${retried}`,
    `${formatCount(chunksDone)}/${formatCount(chunksTotal)} chunks`,
  ];
}

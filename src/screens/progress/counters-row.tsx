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
  snapshot.itemsTotal !== undefined && partsOf(snapshot, 0).length > 0;

/** Items, rates, ratio and chunks: the most useful first, as many as fit. */
export function CountersRow({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns } = useSize();
  const parts = partsOf(snapshot, columns);
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

function partsOf(snapshot: TransferSnapshot, columns: number): Part[] {
  const rates = ratesOf(snapshot).map(({ verb, perSecond }, at) => ({
    text: `${verb} ${formatRate(perSecond)}`,
    priority: 1 + at,
  }));
  const items = itemsTexts(snapshot).map((text) => ({ text, priority: 0 }));
  const longest = items.find((part) => widthOf([part, ...rates]) <= columns) ?? items.at(-1);
  const parts = [...(longest === undefined ? [] : [longest]), ...rates, { text: ratioText(snapshot), priority: 3 }];
  return parts.filter(({ text }) => text !== '');
}

/** Variants from the longest to the shortest; none when the bar's own numbers count the items. All may be read long before they are sent. */
function itemsTexts({ itemsDone, itemsTotal = 0, unit, bytesTotal, read }: TransferSnapshot): string[] {
  if (bytesTotal === 0) return [];
  const done = `${formatCount(itemsDone)} of ${countText(itemsTotal, unit, formatCount)}`;
  if (read === undefined) return [done];
  return [...(read.items > itemsDone ? [`${done} sent, ${formatCount(read.items)} read`] : []), `${done} sent`];
}

const ratioText = ({ ratio, read }: TransferSnapshot): string =>
  ratio === undefined || read === undefined ? '' : formatSaving(ratio);

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

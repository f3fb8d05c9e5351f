// Rows with one sentence each: the current item, skipped items, retries, and what Ctrl+C does.
import type { ReactElement } from 'react';
import { displayText } from '../../stores/display-text.js';
import type { Retrying, TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatCount } from '../../ui/format.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { skippedTexts } from './problem-lines.js';
import { kindOf, phaseText, plannedCostText, retryText } from './progress-words.js';
import { SHARD_COLUMNS } from './shards-row.js';
import { thawInterrupt } from './thaw-words.js';

interface Props {
  readonly snapshot: TransferSnapshot;
}

/** The current item; undefined while there is nothing to show beside the bar. */
export function currentItemText(snapshot: TransferSnapshot, look: { readonly unicode: boolean }): string | undefined {
  const { phase, path, itemsTotal } = snapshot;
  if (phase === 'committing' || phase === 'finishing') return phaseText(snapshot);
  if (path !== undefined) return displayText(path, look);
  return itemsTotal === undefined || phase === 'transferring' || phase === 'starting' ? undefined : phaseText(snapshot);
}

export function CurrentItemRow({ snapshot }: Props): ReactElement {
  const { columns } = useSize();
  const look = useTheme();
  const label = cut('now  ', columns, 'end', look.glyphs.ellipsis);
  const text = currentItemText(snapshot, look) ?? '';
  const isPath = snapshot.path !== undefined && snapshot.phase === 'transferring';
  const suffix = isPath && columns >= SHARD_COLUMNS ? activeShardsText(snapshot.activeShards) : '';
  return (
    <Tint>
      <Tint tone="dim">{label}</Tint>
      {cut(text, columns - label.length - suffix.length, 'middle', look.glyphs.ellipsis)}
      {suffix}
    </Tint>
  );
}

/** The planned cost. */
export function CostRow({ snapshot }: Props): ReactElement {
  const { columns } = useSize();
  return (
    <Tint>
      <Tint tone="dim">{'cost '}</Tint>
      {cut(plannedCostText(snapshot) ?? '', Math.max(0, columns - 'cost '.length), 'end', useTheme().glyphs.ellipsis)}
    </Tint>
  );
}

// An event does not say which shard its path is in, so with several shards at work all of them are named.
function activeShardsText(shards: readonly number[]): string {
  if (shards.length === 0 || shards.length > 8) return '';
  return shards.length === 1 ? ` (shard ${shards[0]})` : ` (shards ${shards.join(' ')})`;
}

export function SkippedRow({ snapshot }: Props): ReactElement {
  const look = useTheme();
  const first = snapshot.skipped[0];
  const text = first === undefined ? '' : `, first ${displayText(`${first.path}: ${first.reason}`, look)}`;
  return <Attention lead={skippedTexts(snapshot, formatCount).join(', ')} rest={text} />;
}

export function RetryRow({ retrying }: { readonly retrying: Retrying }): ReactElement {
  const others = retrying.requests > 1 ? ` (${formatCount(retrying.requests)} requests)` : '';
  const what = displayText(`${retrying.request}: ${retrying.reason}`, useTheme());
  return <Attention lead={`${retryText(retrying)}${others}`} rest={`: ${what}`} />;
}

function Attention({ lead, rest }: { readonly lead: string; readonly rest: string }): ReactElement {
  const { columns } = useSize();
  const { warn, ellipsis } = useTheme().glyphs;
  const first = cut(`${warn} ${lead}`, columns, 'end', ellipsis);
  return (
    <Tint>
      <Tint tone="warn">{first}</Tint>
      {cut(rest, columns - widthOf(first), 'middle', ellipsis)}
    </Tint>
  );
}

/** Says what Ctrl+C does, or that it was pressed. */
export function InterruptRow({ snapshot }: Props): ReactElement {
  const { columns } = useSize();
  const { ellipsis } = useTheme().glyphs;
  const [long, short] = interruptTexts(snapshot);
  const text = cut(long.length <= columns ? long : short, columns, 'end', ellipsis);
  return <Tint tone={snapshot.isStopping ? 'warn' : 'dim'}>{text}</Tint>;
}

function interruptTexts(snapshot: TransferSnapshot): readonly [long: string, short: string] {
  const kind = kindOf(snapshot);
  if (snapshot.isStopping)
    return [`${kind?.stopping ?? 'stopping'}; ctrl+c again quits at once`, 'stopping; ctrl+c again quits'];
  if (snapshot.thaw !== undefined) return thawInterrupt(snapshot.thaw);
  return kind?.interrupt ?? ['', ''];
}

// Rows shown while chunks are restored from cold storage.
import type { ReactElement } from 'react';
import { displayText } from '../../stores/display-text.js';
import type { ThawProgress } from '../../stores/transfer-snapshot.js';
import { formatBytes, formatDuration, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { FullWhenDone } from './bar-row.js';
import { level } from './shards-row.js';
import { readableText } from './thaw-words.js';

const LABEL = 'thawing      ';
const SHORTEST_BAR = 8;
const LONGEST_WAIT = '23h 59m'.length;

interface Props {
  readonly thaw: ThawProgress;
}

/** "Restoring 41 files, 812 GiB from GLACIER   standard tier 3-5 h   est. $8.12". */
export function ThawTitle({ thaw }: Props): ReactElement {
  const { columns } = useSize();
  const look = useTheme();
  const mark = look.glyphs.ellipsis;
  const cost = thaw.costUsd === null ? 'cost unknown' : `est. ${formatUsd(thaw.costUsd)}`;
  const what = cut(
    `Restoring ${formatQuantity(thaw.files, 'file')}, ${formatBytes(thaw.bytes)} from `,
    columns,
    'end',
    mark,
  );
  const classes = cut(displayText(thaw.storageClasses.join(', '), look), columns - widthOf(what), 'end', mark);
  return (
    <Tint>
      {what}
      <Tint tone="accent">{classes}</Tint>
      <Tint tone="dim">{cut(`   ${tierText(thaw)}   ${cost}`, columns - widthOf(what + classes), 'end', mark)}</Tint>
    </Tint>
  );
}

/** `standard tier 3-5 h`. */
const tierText = ({ tier, wait }: ThawProgress): string => `${tier} tier${wait === undefined ? '' : ` ${wait}`}`;

/** Hours and minutes of this computer's clock. */
const clockText = (ms: number): string => new Date(ms).toTimeString().slice(0, 5);

/** The bar with its count and the time of the next check. */
export function ThawBar({ thaw }: Props): ReactElement {
  const { columns } = useSize();
  const { ellipsis } = useTheme().glyphs;
  // In a fixed width, so that the bar's end does not move.
  const left = formatDuration(thaw.nextLookInMs).padEnd(LONGEST_WAIT);
  const readable = readableText(thaw);
  const texts = [
    `  ${readable}, next look ${clockText(thaw.nextLookAtMs)} in ${left}`,
    `  ${readable.replace(/ chunks?/, '')}, next in ${left}`,
    `  ${readable}`,
  ];
  const longest = texts.find((text) => LABEL.length + SHORTEST_BAR + text.length <= columns);
  const label = cut(LABEL, columns, 'end', ellipsis);
  const fits = cut(longest ?? `  ${readable}`, columns - label.length, 'end', ellipsis);
  const fraction = thaw.chunks.length === 0 ? 1 : thaw.readable / thaw.chunks.length;
  return (
    <Tint>
      {label}
      <FullWhenDone fraction={Math.min(1, fraction)} width={columns - label.length - widthOf(fits)} />
      {fits}
    </Tint>
  );
}

/** True when there is room for one sign per chunk. */
export const hasChunkSigns = ({ chunks }: ThawProgress, columns: number): boolean =>
  chunks.length <= columns - LABEL.length;

/** One sign per chunk: full is readable, half is thawing. */
export function ThawChunks({ thaw }: Props): ReactElement {
  const { levels } = useTheme().glyphs;
  const signs = thaw.chunks.map((state) => level(state === 'readable' ? 1 : state === 'thawing' ? 0.5 : 0, levels));
  return (
    <Tint>
      <Tint tone="dim">{'chunks'.padEnd(LABEL.length)}</Tint>
      {signs.join('')}
    </Tint>
  );
}

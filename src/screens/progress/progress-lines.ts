// The progress frame as lines: what is said at which size. Every line fits the width and the frame leaves the last row
// of the window free, because Ink clears the whole window when a frame fills it.
import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { formatCount } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import { clipLine, type Line, paintLine } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutMiddle, textWidth } from '../../ui/text-width.js';
import { barLine } from './bar-line.js';
import { countersLine } from './counters-line.js';
import { OPERATION_WORDS } from './progress-words.js';
import { shardsLine } from './shards-line.js';
import { thawBar, thawChunksLine, thawInterrupt, thawTitle } from './thaw-lines.js';
import { titleLine } from './title-line.js';

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The frame, painted and ready to print, one string a line. */
export function progressLines(snapshot: TransferSnapshot, size: FrameSize, look: Look): string[] {
  const { ellipsis } = glyphsFor(look);
  const height = Math.max(1, size.rows - 1);
  return chooseLines(snapshot, size, look)
    .filter(({ importance }, _, all) => rank(importance, all) < height)
    .map(({ line }) => paintLine(clipLine(line, size.columns, ellipsis), look));
}

interface RankedLine {
  readonly line: Line;
  /** 0 stays longest when the window is low. Unique within a frame. */
  readonly importance: number;
}

const rank = (importance: number, all: readonly RankedLine[]): number =>
  all.filter((other) => other.importance < importance).length;

function chooseLines(snapshot: TransferSnapshot, { columns }: FrameSize, look: Look): RankedLine[] {
  const { thaw } = snapshot;
  const body: readonly [importance: number, line: Line | undefined][] =
    thaw === undefined
      ? [
          [3, titleLine(snapshot, columns, look)],
          [0, barLine(snapshot, columns, look)],
          [2, countersLine(snapshot, columns)],
          [7, shardsLine(snapshot, columns, look)],
          [5, nowLine(snapshot, columns, look)],
        ]
      : [
          [3, thawTitle(thaw, look)],
          [0, thawBar(thaw, columns, look)],
          [5, thawChunksLine(thaw, columns, look)],
        ];
  const lines: readonly [importance: number, line: Line | undefined][] = [
    ...body,
    [4, skippedLine(snapshot, columns, look)],
    [snapshot.isStopping ? 1 : 6, interruptLine(snapshot, columns)],
  ];
  return lines.flatMap(([importance, line]) => (line === undefined ? [] : [{ importance, line }]));
}

function nowLine(snapshot: TransferSnapshot, columns: number, look: Look): Line | undefined {
  if (snapshot.phase === 'committing') return [{ text: 'now  writing the manifest' }];
  if (snapshot.phase === 'finishing') return [{ text: 'now  finishing' }];
  if (snapshot.path === undefined) return undefined;
  const suffix = columns >= 120 ? activeShardsText(snapshot.activeShards) : '';
  const room = columns - 'now  '.length - suffix.length;
  const path = cutMiddle(displayText(snapshot.path, look), room, glyphsFor(look).ellipsis);
  return [{ text: 'now  ', tone: 'dim' }, { text: `${path}${suffix}` }];
}

// An event does not say which shard its path is in, so with several shards at work all of them are named.
function activeShardsText(shards: readonly number[]): string {
  if (shards.length === 0 || shards.length > 8) return '';
  return shards.length === 1 ? ` (shard ${shards[0]})` : ` (shards ${shards.join(' ')})`;
}

function skippedLine(snapshot: TransferSnapshot, columns: number, look: Look): Line | undefined {
  const first = snapshot.skipped[0];
  if (first === undefined) return undefined;
  const glyphs = glyphsFor(look);
  const lead = `${glyphs.attention} ${formatCount(snapshot.skippedCount)} skipped`;
  const text = displayText(`${first.path}: ${first.reason}`, look);
  const rest = cutMiddle(`, first ${text}`, columns - textWidth(lead), glyphs.ellipsis);
  return [{ text: lead, tone: 'attention' }, { text: rest }];
}

function interruptLine(snapshot: TransferSnapshot, columns: number): Line | undefined {
  if (snapshot.operation === undefined) return undefined;
  if (snapshot.isStopping) return [{ text: stoppingText(snapshot, columns), tone: 'attention' }];
  if (snapshot.thaw !== undefined) return [{ text: thawInterrupt(snapshot.thaw, columns), tone: 'dim' }];
  const [long, short] = OPERATION_WORDS[snapshot.operation].interrupt;
  return [{ text: long.length <= columns ? long : short, tone: 'dim' }];
}

function stoppingText(snapshot: TransferSnapshot, columns: number): string {
  const long =
    snapshot.operation === 'upload'
      ? 'stopping, and removing what was sent; ctrl+c again quits at once'
      : 'stopping; ctrl+c again quits at once';
  return long.length <= columns ? long : 'stopping; ctrl+c again quits';
}

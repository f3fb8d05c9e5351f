// The frame of a shell: the line that is being typed, and below it what may come next. A long line is shown around its
// cursor; no line is as wide as the window, so that the terminal never breaks one.
import type { ShellState } from '../../stores/shell-store.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line, Segment } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutEnd, cutMiddle, padEnd, textWidth } from '../../ui/text-width.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const MAX_SUGGESTION_ROWS = 8;
const GAP = 2;
const segmenter = new Intl.Segmenter();
const graphemes = (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment);

/** The frame, fitted to the window: at most `rows - 1` lines. */
export function shellLines(state: Pick<ShellState, 'prompt' | 'line' | 'suggestions'>, size: Size, look: Look): Line[] {
  const width = Math.max(4, size.columns - 1);
  const prompt = cutMiddle(state.prompt, Math.floor(width / 2), glyphsFor(look).ellipsis);
  const typed = lineSegments(state.line, width - textWidth(prompt) - 1);
  const rows = Math.min(MAX_SUGGESTION_ROWS, size.rows - 2);
  return [
    [{ text: prompt, tone: 'accent' }, { text: ' ' }, ...typed],
    ...suggestionRows(state.suggestions, width, rows, glyphsFor(look).ellipsis).map((text): Line => [
      { text, tone: 'dim' },
    ]),
  ];
}

/** As much of the line around its cursor as fits; the cursor is a cell of its own at the end. */
function lineSegments({ text, cursor }: ShellState['line'], room: number): Segment[] {
  // Cells take at least one character, so nothing further away can be seen.
  const before = graphemes(text.slice(Math.max(0, cursor - 8 * room), cursor));
  const [under = ' ', ...after] = graphemes(text.slice(cursor, cursor + 8 * room));
  const left = room - textWidth(under);
  const isWhole = textWidth(before.join('')) + textWidth(after.join('')) <= left;
  const start = isWhole ? before.join('') : tail(before, Math.floor((left * 2) / 3));
  const rest = cutEnd(after.join(''), left - textWidth(start), '');
  // At the end of a long line the room behind the cursor is given to what is before it.
  const more = isWhole ? start : tail(before, left - textWidth(rest));
  return [{ text: more }, { text: under, tone: 'inverse' }, { text: rest }];
}

function tail(parts: readonly string[], width: number): string {
  let text = '';
  let used = 0;
  for (const part of parts.toReversed()) {
    used += textWidth(part);
    if (used > width) break;
    text = part + text;
  }
  return text;
}

/** Suggestions in columns, read row by row; the last row says how many do not fit. */
function suggestionRows(labels: readonly string[], width: number, rows: number, ellipsis: string): string[] {
  if (labels.length === 0 || rows < 1) return [];
  const widest = Math.min(width, Math.max(...labels.map(textWidth)));
  const across = Math.max(1, Math.floor((width + GAP) / (widest + GAP)));
  const needed = Math.ceil(labels.length / across);
  const shown = needed <= rows ? needed : rows - 1;
  const cell = (label: string): string => padEnd(cutMiddle(label, widest, ellipsis), widest);
  const lines = Array.from({ length: shown }, (_, row) =>
    labels
      .slice(row * across, (row + 1) * across)
      .map(cell)
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  const hidden = labels.length - shown * across;
  return hidden > 0 ? [...lines, cutEnd(`and ${hidden} more`, width, '')] : lines;
}

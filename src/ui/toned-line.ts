// A line of a screen as toned pieces: measured and cut as plain text, painted last. The colours are written here and not
// through Ink's `color`, because Ink asks whether *stdout* has colours and the progress screen is drawn on stderr.
import type { Look } from './look.js';
import { cutEnd, textWidth } from './text-width.js';

export type Tone = 'plain' | 'accent' | 'good' | 'attention' | 'bad' | 'dim' | 'inverse';

export interface Segment {
  readonly text: string;
  readonly tone?: Tone;
}

export type Line = readonly Segment[];

const SGR: Record<Exclude<Tone, 'plain'>, readonly [open: number, close: number]> = {
  accent: [36, 39],
  good: [32, 39],
  attention: [33, 39],
  bad: [31, 39],
  dim: [2, 22],
  inverse: [7, 27],
};

/** The cells a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0);
}

/** Cuts a line at its end to at most `width` cells. */
export function clipLine(line: Line, width: number, ellipsis: string): Line {
  if (lineWidth(line) <= width) return line;
  const clipped: Segment[] = [];
  let used = 0;
  for (const segment of line) {
    const next = textWidth(segment.text);
    if (used + next > width - textWidth(ellipsis)) {
      clipped.push({ ...segment, text: cutEnd(`${segment.text}${ellipsis}`, width - used, ellipsis) });
      break;
    }
    clipped.push(segment);
    used += next;
  }
  return clipped;
}

/** The line as terminal text: with 16-colour foreground codes, or without any; inverse, which is no colour, in both. */
export function paintLine(line: Line, look: Look): string {
  return line.map((segment) => paint(segment, look)).join('');
}

function paint({ text, tone = 'plain' }: Segment, look: Look): string {
  if (text === '' || tone === 'plain' || (!look.color && tone !== 'inverse')) return text;
  const [open, close] = SGR[tone];
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

// The only place that knows how wide text is. Everything a table draws goes through `fit`,
// so a row is exactly as wide as its columns whatever the name of a file.
//
// Two traps of Ink 6.8 are closed here: control characters move the cursor and break the frame,
// and a lone zero-width cluster is measured as 0 columns but takes one cell when it is drawn.
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

const PLAIN = /^[\x20-\x7e]*$/;
// C0, C1, line separators and the marks that turn the reading direction around ("gpj.exe" attacks).
// oxlint-disable-next-line no-control-regex
const HOSTILE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
let segmenter: Intl.Segmenter | undefined;
/** Longer texts are processed in blocks of this many UTF-16 units. */
const BLOCK = 256;

export type Align = 'left' | 'right';
export type Cut = 'end' | 'middle';

/** The user-perceived characters of a text, as segments. The tables of ICU are loaded for the first one: most texts need none. */
export const graphemes = (text: string): Intl.Segments => (segmenter ??= new Intl.Segmenter()).segment(text);

/** Number of columns that `text` takes on screen. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  if (text.length <= BLOCK) return stringWidth(text);
  return blocksOf(stripVTControlCharacters(text)).reduce((sum, block) => sum + stringWidth(block), 0);
}

/** The user-perceived characters of a text. */
export const charactersOf = (text: string): string[] =>
  blocksOf(text).flatMap((block) => Array.from(graphemes(block), (part) => part.segment));

/** The text in blocks of whole characters. `Intl.Segmenter` takes quadratic time: minutes for a path of a megabyte. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let from = 0, end = 0; from < text.length; from = end) {
    const block = text.slice(from, from + BLOCK);
    // The last unit may be half of something that belongs to the character before it.
    const whole = graphemes(block).containing(block.length - 2)?.index;
    end = from + (block.length < BLOCK ? block.length : whole || block.length);
    blocks.push(text.slice(from, end));
  }
  return blocks;
}

/** Makes any string safe to draw: hostile characters become `?` (as in `ls`), invisible ones are dropped. */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  return charactersOf(text.replace(HOSTILE, '?'))
    .filter((cluster) => stringWidth(cluster) > 0)
    .join('');
}

function take(parts: readonly string[], width: number): string[] {
  let used = 0;
  const end = parts.findIndex((part) => (used += widthOf(part)) > width);
  return end === -1 ? [...parts] : parts.slice(0, end);
}

/** Shortens to at most `width` columns, never through a wide character or an emoji. */
export function cut(text: string, width: number, where: Cut = 'end', mark = '…'): string {
  const safe = clean(text);
  if (widthOf(safe) <= width) return safe;
  if (width < 1) return '';
  const parts = PLAIN.test(safe) ? safe.split('') : charactersOf(safe);
  // Two thirds for the tail: the end of a path says more than its beginning.
  const tail = where === 'middle' ? Math.floor((width - 1) * 0.67) : 0;
  const head = take(parts, width - 1 - tail).join('');
  return head + mark + take(parts.toReversed(), tail).toReversed().join('');
}

/** Pads to at least `width` columns: nothing is cut. */
export function pad(text: string, width: number, align: Align = 'left'): string {
  const blank = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? blank + text : text + blank;
}

/** Exactly `width` columns: cut when too long, padded when too short. */
export const fit = (text: string, width: number, align: Align = 'left', where: Cut = 'end', mark = '…'): string =>
  pad(cut(text, width, where, mark), width, align);

/** Cuts a text and splits it before and after `query`; the cut moves so that the match stays visible. */
export function cutAroundMatch(
  text: string,
  query: string,
  width: number,
  mark = '…',
): readonly [string, string, string] {
  const split = (shown: string): readonly [string, string, string] | undefined => {
    const at = query === '' ? -1 : shown.toLowerCase().indexOf(query.toLowerCase());
    return at < 0
      ? undefined
      : [shown.slice(0, at), shown.slice(at, at + query.length), shown.slice(at + query.length)];
  };
  const middle = cut(text, width, 'middle', mark);
  const safe = clean(text);
  const from = safe.toLowerCase().indexOf(query.toLowerCase());
  return (
    split(middle) ??
    (from < 0 ? undefined : split(mark + cut(safe.slice(from), width - 1, 'end', mark))) ?? [middle, '', '']
  );
}

// Text measured in terminal cells: wide characters take two, combining marks none. Text is cut between graphemes, so
// an emoji or an accented letter is kept or dropped whole.
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** The number of terminal cells a text takes. */
export function textWidth(text: string): number {
  return stringWidth(text);
}

const graphemes = (text: string): string[] =>
  PRINTABLE_ASCII.test(text) ? text.split('') : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** As many whole graphemes from the front as fit into `width` cells. */
function head(parts: readonly string[], width: number): string {
  let used = 0;
  let text = '';
  for (const part of parts) {
    used += textWidth(part);
    if (used > width) break;
    text += part;
  }
  return text;
}

function tail(parts: readonly string[], width: number): string {
  let used = 0;
  let text = '';
  for (const part of parts.toReversed()) {
    used += textWidth(part);
    if (used > width) break;
    text = part + text;
  }
  return text;
}

/** Cuts text at its end to at most `width` cells. */
export function cutEnd(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  const parts = graphemes(text);
  return room < 0 ? head(parts, width) : head(parts, room) + ellipsis;
}

/** Cuts text in the middle to at most `width` cells; the end, where paths differ, keeps the larger half. */
export function cutMiddle(text: string, width: number, ellipsis = '…'): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  const parts = graphemes(text);
  if (room < 2) return cutEnd(text, width, ellipsis);
  const front = head(parts, Math.floor(room / 2));
  return front + ellipsis + tail(parts, room - textWidth(front));
}

const spaces = (count: number): string => ' '.repeat(Math.max(0, count));

/** Pads on the left to `width` cells. */
export function padStart(text: string, width: number): string {
  return spaces(width - textWidth(text)) + text;
}

/** Pads on the right to `width` cells. */
export function padEnd(text: string, width: number): string {
  return text + spaces(width - textWidth(text));
}

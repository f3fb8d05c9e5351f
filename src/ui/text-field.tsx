import type { ReactElement } from 'react';
import type { Line } from './line-editor.js';
import { charactersOf, clean, cut, widthOf } from './text.js';
import { Tint } from './theme.js';

export interface TextFieldProps {
  readonly line: Line;
  readonly width: number;
  readonly placeholder?: string;
}

/**
 * A line that is being edited, in exactly `width` columns; for a longer one, the part around the cursor. It only draws: `editLine` in the
 * store's verbs applies keys to the line, so that no key of a chunk is lost.
 */
export function TextField({ line, width, placeholder = '' }: TextFieldProps): ReactElement {
  const isEmpty = line.text === '';
  const [before, under, after] = isEmpty ? placeholderParts(placeholder, width) : partsAround(line, width);
  const blank = ' '.repeat(Math.max(0, width - widthOf(before + under + after)));
  return (
    <Tint>
      {before}
      <Tint tone="cursor">{under}</Tint>
      <Tint tone={isEmpty ? 'dim' : 'plain'}>{after}</Tint>
      {blank}
    </Tint>
  );
}

type Parts = readonly [before: string, under: string, after: string];

function placeholderParts(placeholder: string, width: number): Parts {
  const [first = ' ', ...others] = charactersOf(cut(placeholder, width, 'end', ''));
  return ['', first, others.join('')];
}

function partsAround({ text, cursor }: Line, width: number): Parts {
  // A character takes at least one column, so nothing further away can be visible: the cost does not grow with the length of the line.
  const reach = 8 * width;
  const before = charactersOf(text.slice(Math.max(0, cursor - reach), cursor)).map(clean);
  const [under = ' ', ...after] = charactersOf(text.slice(cursor, cursor + reach)).map(shown);
  const room = width - widthOf(under);
  const isWhole = widthOf(before.join('')) + widthOf(after.join('')) <= room;
  if (isWhole) return [before.join(''), under, after.join('')];
  const rest = head(after, room - widthOf(tail(before, Math.floor((room * 2) / 3))));
  // At the end of a long line the room after the cursor is used for the text before it.
  return [tail(before, room - widthOf(rest)), under, rest];
}

/** The character as it is shown; one without a width would leave the cursor without a cell. */
const shown = (character: string): string => clean(character) || '?';

function head(parts: readonly string[], width: number): string {
  let text = '';
  for (const part of parts) {
    if (widthOf(text + part) > width) break;
    text += part;
  }
  return text;
}

function tail(parts: readonly string[], width: number): string {
  let text = '';
  for (const part of parts.toReversed()) {
    if (widthOf(part + text) > width) break;
    text = part + text;
  }
  return text;
}

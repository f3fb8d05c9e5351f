// One line of text with a cursor, edited by the keys of a shell. Pure. The cursor is an index into the text between two user-perceived
// characters, so that an emoji or an accented letter is passed and deleted whole.
import type { Key } from './keys.js';
import { graphemes } from './text.js';

export interface Line {
  readonly text: string;
  readonly cursor: number;
}

export const emptyLine: Line = { text: '', cursor: 0 };

/** Inserts `text` at the cursor. Its lines are joined into one, and control characters are dropped. */
export function insertText({ text, cursor }: Line, inserted: string): Line {
  // oxlint-disable-next-line no-control-regex
  const line = inserted.replaceAll(/[\n\t]+/g, ' ').replaceAll(/[\x00-\x1f\x7f-\x9f]/g, '');
  return { text: text.slice(0, cursor) + line + text.slice(cursor), cursor: cursor + line.length };
}

/** The line after a key; the same object when the key does not edit. */
export function editLine(line: Line, key: Key): Line {
  if (key.text !== '') return insertText(line, key.text);
  const movement = MOVEMENTS[key.id];
  if (movement !== undefined) return { text: line.text, cursor: movement(line) };
  const target = DELETIONS[key.id]?.(line);
  return target === undefined ? line : without(line, target);
}

type Target = (line: Line) => number;

function before({ text, cursor }: Line): number {
  if (cursor === 0) return 0;
  return graphemes(text).containing(cursor - 1)?.index ?? 0;
}

function after({ text, cursor }: Line): number {
  const next = graphemes(text).containing(cursor);
  return next === undefined ? text.length : next.index + next.segment.length;
}

const isWord = (character: string): boolean => /[\p{L}\p{M}\p{N}]/u.test(character);
const isSpace = (character: string): boolean => character === ' ';
type Test = (character: string) => boolean;

/** Steps back over characters that pass the test. No regular expression: those take quadratic time backwards. */
function stepBack({ text }: Line, from: number, test: Test): number {
  let index = from;
  while (index > 0 && test(text.charAt(index - 1))) index--;
  return index;
}

function stepOn({ text }: Line, from: number, test: Test): number {
  let index = from;
  while (index < text.length && test(text.charAt(index))) index++;
  return index;
}

const not =
  (test: Test): Test =>
  (character) =>
    !test(character);

const wordStart: Target = (line) => stepBack(line, stepBack(line, line.cursor, not(isWord)), isWord);
const wordEnd: Target = (line) => stepOn(line, stepOn(line, line.cursor, not(isWord)), isWord);
/** Moves back over spaces and the characters before them, as ctrl+w does. */
const spacedWordStart: Target = (line) => stepBack(line, stepBack(line, line.cursor, isSpace), not(isSpace));

const start: Target = () => 0;
const end: Target = ({ text }) => text.length;

const MOVEMENTS: Readonly<Record<string, Target>> = {
  left: before, 'ctrl+b': before,
  right: after, 'ctrl+f': after,
  home: start, 'ctrl+a': start,
  end, 'ctrl+e': end,
  'alt+b': wordStart, 'ctrl+left': wordStart, 'alt+left': wordStart,
  'alt+f': wordEnd, 'ctrl+right': wordEnd, 'alt+right': wordEnd,
}; // prettier-ignore

/** Delete the text between the cursor and the target. */
const DELETIONS: Readonly<Record<string, Target>> = {
  backspace: before,
  delete: after, 'ctrl+d': after,
  'ctrl+u': start,
  'ctrl+k': end,
  'ctrl+w': spacedWordStart, 'alt+backspace': wordStart,
  'alt+d': wordEnd,
}; // prettier-ignore

function without({ text, cursor }: Line, target: number): Line {
  const from = Math.min(cursor, target);
  return { text: text.slice(0, from) + text.slice(Math.max(cursor, target)), cursor: from };
}

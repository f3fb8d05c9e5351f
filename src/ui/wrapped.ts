import { charactersOf, widthOf } from './text.js';

/**
 * Wraps text into lines of at most `width` columns: at a space if one is near, and otherwise anywhere, as paths have few spaces. A space
 * within a number (`14 000`) is none: half an amount is a wrong amount.
 */
export function wrapped(text: string, width: number): readonly string[] {
  const characters = charactersOf(text);
  const lines: string[] = [];
  let from = 0;
  while (from < characters.length || lines.length === 0) {
    const end = endOfLine(characters, from, width);
    const blank = end < characters.length ? lastSpace(characters, end) : -1;
    const isNear = blank - from > (end - from) / 2;
    lines.push(characters.slice(from, isNear ? blank : end).join(''));
    from = isNear ? blank + 1 : end;
  }
  return lines;
}

/** Index of the last space at or before `end` that is not within a number; -1 without one. */
function lastSpace(characters: readonly string[], end: number): number {
  let at = characters.lastIndexOf(' ', end);
  while (at > 0 && isDigit(characters[at - 1]) && isDigit(characters[at + 1])) at = characters.lastIndexOf(' ', at - 1);
  return at;
}

const isDigit = (character: string | undefined): boolean => character !== undefined && /\d/.test(character);

/** Index after the last character that fits; at least one always fits. */
function endOfLine(characters: readonly string[], from: number, width: number): number {
  let end = from;
  let used = 0;
  do used += widthOf(characters[end++] ?? '');
  while (end < characters.length && used + widthOf(characters[end] ?? '') <= width);
  return end;
}

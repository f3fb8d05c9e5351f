import { charactersOf, widthOf } from '../../ui/text.js';

/** Text in lines of at most `width` columns, broken anywhere: a path has few blanks. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines = [''];
  let used = 0;
  for (const character of charactersOf(text)) {
    const wide = widthOf(character);
    if (used + wide > width && used > 0) {
      lines.push('');
      used = 0;
    }
    lines[lines.length - 1] += character;
    used += wide;
  }
  return lines;
}

// Wraps text to a width, for help pages.

/** Breaks text at spaces; a word longer than the width keeps a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ').filter((part) => part !== '')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** Formats a term with its text to the right; a long term gets a line of its own. */
export function columns(term: string, lines: readonly string[], termWidth: number): readonly string[] {
  const indent = ' '.repeat(termWidth);
  const fits = term.length + 2 <= termWidth;
  const [first = '', ...others] = lines;
  const head = fits ? [`${term.padEnd(termWidth)}${first}`.trimEnd()] : [term, `${indent}${first}`.trimEnd()];
  return [...head, ...others.map((line) => `${indent}${line}`.trimEnd())];
}

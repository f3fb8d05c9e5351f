import { displayText } from '../../stores/display-text.js';
import type { Look } from '../../ui/look.js';
import { formatQuantity, formatCount } from '../../ui/format.js';

export interface Problem {
  readonly path: string;
  readonly reason: string;
}

const SHOWN = 10;

/** `1 file`, `2 folders`, `3 paths`: one that ends in a slash is a folder. */
export function problemCount(problems: readonly Problem[]): string {
  const folders = problems.filter(({ path }) => path.endsWith('/')).length;
  const noun = folders === 0 ? 'file' : folders === problems.length ? 'folder' : 'path';
  return formatQuantity(problems.length, noun);
}

/** The first ten problems, each on its line, and how many more there are. `total` may exceed the problems given. */
export function problemLines(
  label: string,
  problems: readonly Problem[],
  look: Look,
  total = problems.length,
): string[] {
  const shown = problems.slice(0, SHOWN);
  const lines = shown.map(({ path, reason }) => `  ${label}  ${displayText(`${path}: ${reason}`, look)}`);
  const more = total - shown.length;
  return more > 0 ? [...lines, `  ${' '.repeat(label.length)}  and ${formatCount(more)} more`] : lines;
}

// Compares two texts line by line, for display. Pure.

export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

const CONTEXT = 2;

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/**
 * Returns removed and added lines, with two lines of context; empty when the texts are the same. For files of up to some thousand lines.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const all = [
    ...unchanged(old.slice(0, start)),
    ...changed(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...unchanged(old.slice(old.length - end)),
  ];
  const isNear = (at: number): boolean =>
    all.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  return all.filter((_, at) => isNear(at));
}

const unchanged = (lines: readonly string[]): readonly DiffLine[] => lines.map((text) => ({ sign: ' ', text }));

/** Compares lines by their longest common subsequence. */
function changed(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const width = now.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' });
      [i, j] = [i + 1, j + 1];
    } else if (j >= now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: old[i++] ?? '' });
    } else lines.push({ sign: '+', text: now[j++] ?? '' });
  }
  return lines;
}

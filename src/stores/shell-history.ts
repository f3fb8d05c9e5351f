// The history of lines that were run, and stepping through it with up and down. The line typed before stepping is kept.

/** Limit in memory and on disk. */
export const MAX_HISTORY = 1000;

export interface ShellHistory {
  /** Lines, oldest first. */
  readonly lines: readonly string[];
  /** Index of the line that is shown; one past the last is the draft. */
  readonly position: number;
  /** The line that was being typed. */
  readonly draft: string;
}

/** A history positioned after its last line. */
export function historyOf(lines: readonly string[]): ShellHistory {
  const kept = lines.slice(-MAX_HISTORY);
  return { lines: kept, position: kept.length, draft: '' };
}

/** True for a line worth keeping: not when it is blank, begins with a space, or repeats the last. */
export const isWorthKeeping = ({ lines }: ShellHistory, line: string): boolean =>
  line.trim() !== '' && !line.startsWith(' ') && line !== lines.at(-1);

/** The history with one more line. */
export const remember = (history: ShellHistory, line: string): ShellHistory =>
  historyOf(isWorthKeeping(history, line) ? [...history.lines, line] : history.lines);

/** A step back (-1) or forward (1) from the current line; undefined at the end. */
export function step(
  { lines, position, draft }: ShellHistory,
  by: 1 | -1,
  shown: string,
): { readonly history: ShellHistory; readonly text: string } | undefined {
  const next = position + by;
  if (next < 0 || next > lines.length) return undefined;
  const kept = position === lines.length ? shown : draft;
  return { history: { lines, position: next, draft: kept }, text: lines[next] ?? kept };
}

// The lines that were run, and the way through them with up and down. What was typed before the way began is kept.

/** Kept in memory and on disk. */
export const MAX_HISTORY = 1000;

export interface ShellHistory {
  /** Oldest first. */
  readonly lines: readonly string[];
  /** The line that is shown; one past the last is what was being typed. */
  readonly position: number;
  /** What was being typed. */
  readonly draft: string;
}

/** The history behind its last line. */
export function historyOf(lines: readonly string[]): ShellHistory {
  const kept = lines.slice(-MAX_HISTORY);
  return { lines: kept, position: kept.length, draft: '' };
}

/** Whether a line is worth remembering after the others: not when it is blank, begins with a space, or repeats the last. */
export const isWorthKeeping = ({ lines }: ShellHistory, line: string): boolean =>
  line.trim() !== '' && !line.startsWith(' ') && line !== lines.at(-1);

/** The history with one more line. */
export const remember = (history: ShellHistory, line: string): ShellHistory =>
  historyOf(isWorthKeeping(history, line) ? [...history.lines, line] : history.lines);

/** A step back (-1) or on (1) from what is shown now; undefined where there is nothing further. */
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

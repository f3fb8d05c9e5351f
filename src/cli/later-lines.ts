// Lines for stderr that would break a display on the terminal: they are held back until that is gone.
import type { Writable } from 'node:stream';

const MOST_KEPT = 10_000;

export interface LaterLines {
  /** Takes a line with its line end. */
  readonly write: (line: string) => void;
  /** Writes the lines that were held back. */
  readonly end: () => void;
}

/** Holds lines back if stderr is a terminal. `noun` names them when there are too many: `spans`. */
export function laterLines(stderr: Writable & { readonly isTTY?: boolean }, noun: string): LaterLines {
  const kept: string[] = [];
  let left = 0;
  return {
    write(line) {
      if (stderr.isTTY !== true) stderr.write(line);
      else if (kept.length < MOST_KEPT) kept.push(line);
      else left++;
    },
    end() {
      for (const line of kept) stderr.write(line);
      if (left > 0) stderr.write(`! ${left} more ${noun} are left out\n`);
    },
  };
}

// Lines for stderr that would stand in the middle of what is drawn on the terminal: they wait until that is gone.
import type { Writable } from 'node:stream';

const MOST_KEPT = 10_000;

export interface LaterLines {
  /** Takes a line with its end. */
  readonly write: (line: string) => void;
  /** Writes what has waited. */
  readonly end: () => void;
}

/** They wait where stderr is a terminal. `noun`: what there may be too many of: `spans`. */
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

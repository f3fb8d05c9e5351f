// Which part of a long list is on the screen. Pure arithmetic; the list itself is never looked at.

export interface ScrollWindow {
  /** Rows of the list. */
  readonly count: number;
  /** Rows of the screen. */
  readonly height: number;
  /** First row that was shown until now. */
  readonly top: number;
}

/** Rows that stay visible beyond the cursor, where there are any. */
const MARGIN = 2;

/** The first row to show so that `cursor` is visible and the list moves no further than it has to. */
export function scrollTo(cursor: number, { count, height, top }: ScrollWindow): number {
  const margin = Math.min(MARGIN, Math.max(0, Math.floor((height - 1) / 2)));
  const lowest = cursor + margin - height + 1;
  const highest = cursor - margin;
  const wanted = Math.max(lowest, Math.min(top, highest));
  return Math.max(0, Math.min(wanted, count - height));
}

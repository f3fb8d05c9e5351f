// Lists ranges of keys, several at a time. Whoever has nothing left to list takes half of what another one has still before
// it: keys are where they are, so half of the range is seldom half of the keys, but what was taken too far up is empty, which
// one request shows, and the range has become smaller.
import { compareBytes } from '../../store/file/file-list.js';
import { type KeyRange, middleKey } from './key-range.js';

export interface RangeScan<T> {
  readonly ranges: readonly KeyRange[];
  /** Listings at a time. */
  readonly atOnce: number;
  /** Pages of keys after this one, in byte order. */
  readonly pages: (after: string | undefined) => AsyncIterable<readonly T[]>;
  /** Gets everything once, in no order. */
  readonly take: (lines: readonly T[], range: number) => void;
  /** False: each range is listed by one alone. */
  readonly isSplit: boolean;
}

interface Reading {
  readonly range: number;
  /** Everything up to here was listed. */
  after: string | undefined;
  until: string | undefined;
  /** A page was listed since it was cut last, and there may be more. */
  canSplit: boolean;
}

/** Holds a page for each listing at a time, whatever there is. @throws what a listing throws, once the others have stopped */
export async function scanRanges<T extends { readonly key: string }>(scan: RangeScan<T>): Promise<void> {
  const { ranges, atOnce, pages, take, isSplit } = scan;
  const waiting = ranges.map((range, index): Reading => {
    return { range: index, after: range.after, until: range.until, canSplit: false };
  });
  const running = new Set<Reading>();
  let idle: (() => void)[] = [];
  let hasFailed = false;
  const wake = (): void => {
    for (const go of idle.splice(0)) go();
  };

  const taken = (): Reading | undefined => {
    for (const other of running) {
      if (!other.canSplit || other.after === undefined) continue;
      other.canSplit = false;
      const middle = middleKey(other.after, other.until);
      if (middle === undefined) continue;
      const { range, until } = other;
      other.until = middle;
      // To the end of the queue: next time another one is cut.
      running.delete(other);
      running.add(other);
      return { range, after: middle, until, canSplit: false };
    }
    return undefined;
  };

  const list = async (reading: Reading): Promise<void> => {
    for await (const page of pages(reading.after)) {
      const { until } = reading;
      const own = until === undefined ? page : page.filter(({ key }) => compareBytes(key, until) <= 0);
      take(own, reading.range);
      reading.after = page.at(-1)?.key ?? reading.after;
      // The last key of a range may have more versions on the next page.
      if (hasFailed || own.length < page.length) return;
      reading.canSplit = isSplit && page.length > 0;
      wake();
    }
  };

  const work = async (): Promise<void> => {
    while (!hasFailed) {
      const next = waiting.shift() ?? taken();
      if (next !== undefined) {
        running.add(next);
        try {
          await list(next);
        } catch (error) {
          hasFailed = true;
          throw error;
        } finally {
          running.delete(next);
          wake();
        }
      } else if (running.size === 0) return;
      else await new Promise<void>((resolve) => (idle = [...idle, resolve]));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

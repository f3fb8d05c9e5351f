// Lists several key ranges at a time. A worker with nothing left takes half of the range that another one still has to list. Half of the
// range is seldom half of the keys, but if the part taken is empty, one request shows it, and the range has become smaller.
import { compareBytes } from '../../store/file/file-list.js';
import { type KeyRange, middleKey } from './key-range.js';

export interface RangeScan<T> {
  readonly ranges: readonly KeyRange[];
  /** Number of listings at a time. */
  readonly atOnce: number;
  /** Lists pages of keys after the given one, in byte order. */
  readonly pages: (after: string | undefined) => AsyncIterable<readonly T[]>;
  /** Gets every entry once, in any order. */
  readonly take: (lines: readonly T[], range: number) => void;
  /** False: ranges are never split. */
  readonly isSplit: boolean;
}

interface Reading {
  readonly range: number;
  /** Keys up to this one were listed. */
  after: string | undefined;
  until: string | undefined;
  /** True when a page was listed since the last split and there may be more. */
  canSplit: boolean;
}

/** Lists all ranges, holding one page per running listing. @throws what a listing throws, once the others have stopped */
export async function scanRanges<T extends { readonly key: string }>(scan: RangeScan<T>): Promise<void> {
  const { ranges, atOnce, pages, take, isSplit } = scan;
  const waiting = ranges.map((range, index): Reading => {
    return { range: index, after: range.after, until: range.until, canSplit: false };
  });
  const running = new Set<Reading>();
  let sleepers: (() => void)[] = [];
  let hasFailed = false;
  const wake = (): void => {
    for (const go of sleepers.splice(0)) go();
  };

  const splitOff = (): Reading | undefined => {
    for (const other of running) {
      if (!other.canSplit || other.after === undefined) continue;
      other.canSplit = false;
      const middle = middleKey(other.after, other.until);
      if (middle === undefined) continue;
      const { range, until } = other;
      other.until = middle;
      // Move it to the end of the queue, so that another range is split next time.
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
      const next = waiting.shift() ?? splitOff();
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
      else await new Promise<void>((resolve) => (sleepers = [...sleepers, resolve]));
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

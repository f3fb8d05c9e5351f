// Adds up what is done and tells it at most ten times a second.
import type { EventSink } from './events.js';

const INTERVAL_MS = 100;

export interface ProgressMeter {
  /** `last` is the position of what was done last, for its name. */
  readonly add: (items: number, bytes: number, last?: number) => void;
  /** Says the totals once more, at the end. */
  readonly finish: () => void;
}

/** Counts items and bytes and emits `progress`; `nameOf` gives the path of the last one. */
export function progressMeter(
  emit: EventSink,
  nameOf: (index: number) => string | undefined = () => undefined,
  now: () => number = () => performance.now(),
): ProgressMeter {
  let items = 0;
  let bytes = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  return {
    add(moreItems, moreBytes, last) {
      items += moreItems;
      bytes += moreBytes;
      const at = now();
      if (at - saidAt < INTERVAL_MS) return;
      saidAt = at;
      const path = last === undefined ? undefined : nameOf(last);
      emit({ type: 'progress', items, bytes, ...(path === undefined ? {} : { path }) });
    },
    finish: () => emit({ type: 'progress', items, bytes }),
  };
}

/** Tells what was found so far, as totals. */
export function scanMeter(
  emit: EventSink,
  now: () => number = () => performance.now(),
): (items: number, bytes: number) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (items, bytes) => {
    const at = now();
    if (at - saidAt < INTERVAL_MS) return;
    saidAt = at;
    emit({ type: 'scan', items, bytes });
  };
}

/** For callers that nobody follows. */
export const ignoreEvents: EventSink = () => undefined;

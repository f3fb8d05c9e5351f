// Adds up what workers report and tells it at most ten times a second.
import type { EventSink } from '../events.js';

const INTERVAL_MS = 100;

export interface ProgressMeter {
  readonly add: (files: number, bytes: number, last: number) => void;
  /** Says the totals once more, at the end. */
  readonly finish: () => void;
}

/** Counts files and bytes and emits `progress`; `nameOf` gives the path of the last entry. */
export function progressMeter(
  emit: EventSink,
  nameOf: (index: number) => string,
  now: () => number = () => performance.now(),
): ProgressMeter {
  let totalFiles = 0;
  let totalBytes = 0;
  let saidAt = Number.NEGATIVE_INFINITY;
  return {
    add(files, bytes, last) {
      totalFiles += files;
      totalBytes += bytes;
      const at = now();
      if (at - saidAt < INTERVAL_MS) return;
      saidAt = at;
      emit({ type: 'progress', items: totalFiles, bytes: totalBytes, path: nameOf(last) });
    },
    finish: () => emit({ type: 'progress', items: totalFiles, bytes: totalBytes }),
  };
}

// Adds up what is done and emits it at most ten times a second.
import type { EventSink } from './events.js';

const INTERVAL_MS = 100;

export interface ProgressMeter {
  /** `last` is the position of the last item done, for its name. */
  readonly add: (items: number, bytes: number, last?: number) => void;
  /** Emits the totals once more, at the end; what is added later is not counted. */
  readonly finish: () => void;
}

/** Counts items and bytes and emits `progress`; `nameOf` returns the path of the last one. */
export function progressMeter(
  emit: EventSink,
  nameOf: (index: number) => string | undefined = () => undefined,
  now: () => number = () => performance.now(),
): ProgressMeter {
  let items = 0;
  let bytes = 0;
  let last: number | undefined;
  let isOver = false;
  const tell = (index?: number): void => {
    const path = index === undefined ? undefined : nameOf(index);
    emit({ type: 'progress', items, bytes, ...(path === undefined ? {} : { path }) });
  };
  const meter = spaced(() => tell(last), now);
  return {
    add(moreItems, moreBytes, index) {
      if (isOver) return;
      items += moreItems;
      bytes += moreBytes;
      last = index;
      meter.say();
    },
    finish() {
      isOver = true;
      meter.stop();
      tell();
    },
  };
}

/** Waits for the work, and emits the totals also of one that fails: what it has done until then. @throws what the work fails with */
export async function metered<T>(meter: Pick<ProgressMeter, 'finish'>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    meter.finish();
  }
}

/** Emits the totals found so far. */
export function scanMeter(
  emit: EventSink,
  now: () => number = () => performance.now(),
): (items: number, bytes: number) => void {
  let found = { items: 0, bytes: 0 };
  const { say } = spaced(() => emit({ type: 'scan', ...found }), now);
  return (items, bytes) => {
    found = { items, bytes };
    say();
  };
}

/** Calls `tell` at once, or when the last call is long enough ago, so that the last state is always told. */
function spaced(tell: () => void, now: () => number): { readonly say: () => void; readonly stop: () => void } {
  let saidAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const speak = (): void => {
    timer = undefined;
    saidAt = now();
    tell();
  };
  return {
    say() {
      if (timer !== undefined) return;
      const leftMs = saidAt + INTERVAL_MS - now();
      if (leftMs <= 0) speak();
      else timer = setTimeout(speak, leftMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

/** A sink for callers without consumers. */
export const ignoreEvents: EventSink = () => undefined;

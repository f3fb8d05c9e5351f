// Estimates the current speed with a sliding window over running totals. It falls to zero when nothing moves, it never divides by zero, and
// it keeps a bounded number of samples however many are added.

export interface RateEstimator {
  /** Records that the running total was `total` at this moment. */
  add(total: number, nowMs: number): void;
  /** Units a second over the window that ends now; 0 until there are enough samples. */
  perSecond(nowMs: number): number;
}

interface Sample {
  readonly atMs: number;
  total: number;
}

// Below this a first chunk that arrives at once would read as gigabytes a second.
const SHORTEST_SPAN_MS = 500;
const SAMPLES_PER_WINDOW = 40;

/** An estimator that looks back over `windowMs`. */
export function createRateEstimator(windowMs: number): RateEstimator {
  const spacingMs = windowMs / SAMPLES_PER_WINDOW;
  let samples: Sample[] = [];

  // The newest sample older than the window stays: it is the base that the window is measured from.
  const prune = (nowMs: number): void => {
    const firstInside = samples.findIndex(({ atMs }) => atMs >= nowMs - windowMs);
    const base = firstInside === -1 ? samples.length - 1 : firstInside - 1;
    if (base > 0) samples = samples.slice(base);
  };

  return {
    add(total, nowMs) {
      const last = samples.at(-1);
      // A total that shrinks is a new count (another phase); the old base would make the rate negative.
      if (last !== undefined && total < last.total) samples = [];
      const previous = samples.at(-1);
      if (previous !== undefined && samples.length > 1 && nowMs - previous.atMs < spacingMs) previous.total = total;
      else samples.push({ atMs: Math.max(nowMs, previous?.atMs ?? nowMs), total });
      prune(nowMs);
    },
    perSecond(nowMs) {
      prune(nowMs);
      const base = samples[0];
      const last = samples.at(-1);
      if (base === undefined || last === undefined) return 0;
      const fromMs = Math.max(base.atMs, nowMs - windowMs);
      const spanMs = Math.max(nowMs, last.atMs) - fromMs;
      return spanMs < SHORTEST_SPAN_MS ? 0 : ((last.total - totalAt(samples, fromMs)) * 1000) / spanMs;
    },
  };
}

/** The total at a moment, on the straight line between the two samples around it. */
function totalAt(samples: readonly Sample[], atMs: number): number {
  const next = samples.findIndex((sample) => sample.atMs > atMs);
  const before = samples.at(next === -1 ? -1 : next - 1) ?? { atMs, total: 0 };
  const after = next === -1 ? undefined : samples[next];
  if (after === undefined || next === 0) return before.total;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.total + (after.total - before.total) * share;
}

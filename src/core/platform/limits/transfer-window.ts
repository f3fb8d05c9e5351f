// Controls how many requests may be in flight. There is one controller per upload, and it learns from every request that ends.
//
// - fixed: always the same number
// - cubic: grows along a cubic curve since the last trouble (RFC 8312, per request instead of per segment), multiplies
//   by 0.7 when the store pushes back (SlowDown, timeout, retry)
// - bbr: measures the best delivery rate and the shortest round trip of late, and keeps one bandwidth-delay product in
//   flight, probing 25 % above it now and then (after BBR, ACM Queue 14(5), reduced to whole requests); multiplies by
//   0.7 and measures again when the store pushes back

export interface Acknowledgement {
  readonly nowMs: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** True when the request had to be repeated before it succeeded. */
  readonly troubled: boolean;
}

export interface TransferWindow {
  readonly name: string;
  /** Number of requests that may be in flight now, at least 1. */
  readonly size: number;
  acknowledge(ack: Acknowledgement): void;
}

export function fixedWindow(size: number): TransferWindow {
  return { name: `fixed ${size}`, size, acknowledge: () => undefined };
}

const CUBIC_C = 0.4;
const CUBIC_BETA = 0.7;

export function cubicWindow(limit: number, start = 2): TransferWindow {
  let window = start;
  let peak = start;
  let lastTroubleMs: number | undefined;
  return {
    name: 'cubic',
    get size() {
      return Math.max(1, Math.min(limit, Math.floor(window)));
    },
    acknowledge({ nowMs, durationMs, troubled }) {
      if (troubled) {
        // Requests in flight when the window shrank report the same trouble.
        if (lastTroubleMs !== undefined && nowMs - durationMs < lastTroubleMs) return;
        peak = window;
        window = Math.max(1, window * CUBIC_BETA);
        lastTroubleMs = nowMs;
        return;
      }
      if (lastTroubleMs === undefined) {
        window = Math.min(limit, window + 1); // no trouble so far: slow start
        return;
      }
      const seconds = (nowMs - lastTroubleMs) / 1000;
      const k = Math.cbrt((peak * (1 - CUBIC_BETA)) / CUBIC_C);
      window = Math.min(limit, Math.max(1, CUBIC_C * (seconds - k) ** 3 + peak));
    },
  };
}

const BBR_SAMPLES = 10;
const BBR_HISTORY = 64;
const BBR_BETA = 0.7;
const PROBE_GAINS = [1.25, 0.75, 1, 1, 1, 1, 1, 1];

export function bbrWindow(limit: number, start = 2): TransferWindow {
  const rates: number[] = [];
  const requests: number[] = [];
  /** Bytes delivered by each point in time. */
  const history: { readonly ms: number; readonly delivered: number }[] = [];
  let window = start;
  let cycle = -1;
  let cycleMs = 0;
  let delivered = 0;
  let forgotten = 0;
  let shortestMs = Number.POSITIVE_INFINITY;
  let lastTroubleMs: number | undefined;
  return {
    name: 'bbr',
    get size() {
      return Math.max(1, Math.min(limit, Math.round(window)));
    },
    acknowledge({ nowMs, bytes, durationMs, troubled }) {
      const sentMs = nowMs - durationMs;
      // Bytes that arrived during this request, divided by its duration, so that bursts of answers do not inflate it.
      const before = history.findLast(({ ms }) => ms <= sentMs)?.delivered ?? forgotten;
      delivered += bytes;
      forgotten = push(history, { ms: nowMs, delivered }, BBR_HISTORY)?.delivered ?? forgotten;
      if (troubled) {
        if (lastTroubleMs !== undefined && sentMs < lastTroubleMs) return;
        lastTroubleMs = nowMs;
        window = Math.max(1, window * BBR_BETA);
        rates.length = 0; // they were measured before the store pushed back
        return;
      }
      push(rates, (delivered - before) / Math.max(1, durationMs), BBR_SAMPLES);
      push(requests, bytes, BBR_SAMPLES);
      const request = Math.max(1, requests.reduce((sum, size) => sum + size, 0) / requests.length);
      // The shortest round trip is kept permanently, because it cannot be measured while requests queue behind each other. Small requests
      // say nothing about the others.
      if (bytes >= request / 2) shortestMs = Math.min(shortestMs, durationMs);
      if (rates.length < 3) {
        if (lastTroubleMs === undefined) window = Math.min(limit, window + 1);
        return;
      }
      const rate = Math.max(...rates);
      // A gain lasts one round trip, because only requests sent under it show its effect.
      if (sentMs >= cycleMs) {
        cycle++;
        cycleMs = nowMs;
      }
      const gain = PROBE_GAINS[cycle % PROBE_GAINS.length] ?? 1;
      // One more than fits the path, to find out whether more would fit.
      window = Math.min(limit, ((rate * shortestMs) / request) * gain + 1);
    },
  };
}

/** Appends a value; returns what was removed to make room. */
function push<T>(list: T[], value: T, most: number): T | undefined {
  list.push(value);
  return list.length > most ? list.shift() : undefined;
}

/** `auto`: cubic, until the first requests show a long path (all over 150 ms); then bbr, which does not wait for trouble. */
export function autoWindow(limit: number): TransferWindow {
  let inner = cubicWindow(limit);
  let seen = 0;
  let shortest = Number.POSITIVE_INFINITY;
  return {
    get name() {
      return `auto (${inner.name})`;
    },
    get size() {
      return inner.size;
    },
    acknowledge(ack) {
      shortest = Math.min(shortest, ack.durationMs);
      if (++seen === 4 && shortest > 150) inner = bbrWindow(limit, inner.size);
      inner.acknowledge(ack);
    },
  };
}

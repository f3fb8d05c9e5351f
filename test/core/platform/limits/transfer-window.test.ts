// Congestion control against a simulated link: a wire of fixed speed and delay in front of a store that may push back.
import { describe, expect, test } from 'vitest';
import {
  autoWindow,
  bbrWindow,
  cubicWindow,
  fixedWindow,
  type TransferWindow,
} from '../../../../src/core/platform/limits/transfer-window.js';

interface Link {
  /** Bytes a millisecond. */
  readonly rate: number;
  readonly delayMs: number;
  /** Requests beyond so many at once have to be repeated. */
  readonly tolerates?: number;
}

const REQUEST = 1_000_000;

/** Sends for `ms` simulated milliseconds; gives the window after each answer, and what arrived. */
function simulate(window: TransferWindow, link: Link, ms: number) {
  const sizes: number[] = [];
  const flying: { sent: number; done: number; troubled: boolean }[] = [];
  let now = 0;
  let wireFree = 0;
  let delivered = 0;
  let troubles = 0;
  while (now < ms) {
    while (flying.length < window.size) {
      const begins = Math.max(now, wireFree);
      wireFree = begins + REQUEST / link.rate;
      const troubled = link.tolerates !== undefined && flying.length >= link.tolerates;
      flying.push({ sent: now, done: wireFree + link.delayMs, troubled });
    }
    flying.sort((a, b) => a.done - b.done);
    const next = flying.shift();
    if (next === undefined) break;
    now = next.done;
    delivered += REQUEST;
    if (next.troubled) troubles++;
    window.acknowledge({ nowMs: now, bytes: REQUEST, durationMs: now - next.sent, troubled: next.troubled });
    sizes.push(window.size);
  }
  return { sizes, troubles, speed: delivered / now };
}

const CONTROLLED = [
  ['cubic', cubicWindow],
  ['bbr', bbrWindow],
  ['auto', autoWindow],
] as const;

describe.each(CONTROLLED)('%s', (_name, make) => {
  test('begins with two requests and stays within its bounds', () => {
    expect(make(8).size).toBe(2);
    for (const link of [
      { rate: 1, delayMs: 1 },
      { rate: 1e6, delayMs: 500 },
      { rate: 1e4, delayMs: 50, tolerates: 1 },
    ]) {
      for (const limit of [1, 3, 8]) {
        for (const size of simulate(make(limit), link, 60_000).sizes) {
          expect(size).toBeGreaterThanOrEqual(1);
          expect(size).toBeLessThanOrEqual(limit);
        }
      }
    }
  });

  test('fills a long fat link', () => {
    const { sizes, speed } = simulate(make(8), { rate: 50_000, delayMs: 200 }, 30_000);

    expect(Math.max(...sizes)).toBe(8);
    expect(speed).toBeGreaterThan(0.8 * ((8 * REQUEST) / (200 + REQUEST / 50_000)));
  });

  test('backs off when the store pushes back, and still gets its data through', () => {
    const { sizes, troubles, speed } = simulate(make(8), { rate: 50_000, delayMs: 200, tolerates: 4 }, 60_000);

    const settled = sizes.slice(sizes.length / 4);
    const mean = settled.reduce((sum, size) => sum + size, 0) / settled.length;
    expect(mean).toBeLessThan(6);
    expect(mean).toBeGreaterThan(1.5);
    expect(troubles).toBeGreaterThan(0);
    expect(speed).toBeGreaterThan(2 * (REQUEST / 220));
  });

  test('shrinks once for one trouble that hits everything in flight', () => {
    const window = make(8);
    for (let at = 1; at <= 40; at++)
      window.acknowledge({ nowMs: at * 1000, bytes: REQUEST, durationMs: 100, troubled: false });
    for (let at = 0; at < 8; at++)
      window.acknowledge({ nowMs: 50_000 + at, bytes: REQUEST, durationMs: 500, troubled: true });

    const once = make(8);
    for (let at = 1; at <= 40; at++)
      once.acknowledge({ nowMs: at * 1000, bytes: REQUEST, durationMs: 100, troubled: false });
    once.acknowledge({ nowMs: 50_000, bytes: REQUEST, durationMs: 500, troubled: true });

    expect(window.size).toBe(once.size);
  });
});

describe('cubic', () => {
  test('comes back to where the trouble was, slowly at the end, and then looks further', () => {
    const window = cubicWindow(100, 50);
    window.acknowledge({ nowMs: 0, bytes: 1, durationMs: 1, troubled: true });
    const sizes = Array.from({ length: 8 }, (_, second) => {
      window.acknowledge({ nowMs: second * 1000, bytes: 1, durationMs: 1, troubled: false });
      return window.size;
    });

    expect(sizes[0]).toBe(35);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    const steps = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
    expect(steps[0]).toBeGreaterThan(steps[2] ?? 0);
    expect(steps.at(-1)).toBeGreaterThan(steps[3] ?? 0);
    expect(sizes.at(-1)).toBeGreaterThan(50);
  });
});

describe('bbr', () => {
  test('keeps about one bandwidth-delay product in flight and no more', () => {
    // 20 ms on the wire and 60 ms under way: four requests fill the link.
    const { sizes, speed } = simulate(bbrWindow(32), { rate: 50_000, delayMs: 60 }, 60_000);

    const settled = sizes.slice(sizes.length / 2);
    const mean = settled.reduce((sum, size) => sum + size, 0) / settled.length;
    expect(mean).toBeGreaterThan(3.5);
    expect(mean).toBeLessThan(8);
    expect(speed).toBeGreaterThan(0.9 * 50_000);
  });

  test('is not fooled by answers that come in bursts', () => {
    const window = bbrWindow(32);
    // Every second four answers within a millisecond.
    for (let at = 1; at <= 30; at++) {
      for (let of4 = 0; of4 < 4; of4++) {
        window.acknowledge({ nowMs: at * 1000 + of4 * 0.1, bytes: REQUEST, durationMs: 1000, troubled: false });
      }
    }

    expect(window.size).toBeLessThanOrEqual(12);
  });
});

describe('auto', () => {
  test('is cubic on a short path and bbr on a long one', () => {
    const near = autoWindow(8);
    const far = autoWindow(8);

    simulate(near, { rate: 1e6, delayMs: 5 }, 2000);
    simulate(far, { rate: 1e6, delayMs: 300 }, 5000);

    expect([near.name, far.name]).toEqual(['auto (cubic)', 'auto (bbr)']);
  });
});

test('fixed stays what it is', () => {
  const window = fixedWindow(4);

  simulate(window, { rate: 1000, delayMs: 10, tolerates: 1 }, 10_000);

  expect(window.size).toBe(4);
});

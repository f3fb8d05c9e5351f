import { expect, test } from 'vitest';
import { atIntervals } from '../../../src/core/fleet/watch/passes.js';

const START = Date.parse('2026-03-04T05:00:00Z');
const MINUTE = 60_000;

/** The minutes at which passes began. `takes`: how long each lasts; `asleep`: what the clock jumps by in a pause. */
async function beginnings(
  takes: readonly number[],
  { intervalMs = 15 * MINUTE, asleep = () => 0 }: { intervalMs?: number; asleep?: (nowMs: number) => number } = {},
): Promise<readonly number[]> {
  const begun: number[] = [];
  const end = new AbortController();
  let nowMs = START;
  let running = 0;
  const interval = {
    intervalMs,
    now: () => new Date(nowMs),
    pause: async (ms: number) => {
      nowMs += ms + asleep(nowMs);
    },
    signal: end.signal,
  };
  const passes = atIntervals(interval, async () => {
    expect(++running).toBe(1);
    begun.push((nowMs - START) / MINUTE);
    nowMs += (takes[begun.length - 1] ?? 0) * MINUTE;
    if (begun.length === takes.length) end.abort();
    running--;
  });
  for await (const _ of passes);
  return begun;
}

test('a pass begins at each interval, whatever the one before took', async () => {
  expect(await beginnings([1, 14, 15, 0, 2])).toEqual([0, 15, 30, 45, 60]);
});

test('one that takes longer is followed at the next time that is due, and nothing is made up for', async () => {
  expect(await beginnings([40, 1, 1])).toEqual([0, 45, 60]);
});

test('a computer that was asleep, and a clock that is set, hold nothing up for longer than the interval', async () => {
  const once = (jump: number) => {
    let jumps = [jump];
    return (): number => {
      const [ms = 0] = jumps;
      jumps = [];
      return ms;
    };
  };
  expect(await beginnings([0, 0, 0], { asleep: once(600 * MINUTE) })).toEqual([0, 601, 615]);
  expect(await beginnings([0, 0, 0], { asleep: once(-600 * MINUTE) })).toEqual([0, -584, -569]);
});

test('what a pass throws ends it, unless it was asked to stop', async () => {
  const end = new AbortController();
  const interval = { intervalMs: MINUTE, now: () => new Date(), pause: async () => undefined, signal: end.signal };
  const failing = atIntervals(interval, () => Promise.reject(new Error('gone')));
  await expect(failing.next()).rejects.toThrow('gone');
  const stopped = atIntervals(interval, () => {
    end.abort();
    return Promise.reject(new Error('interrupted'));
  });
  expect(await stopped.next()).toEqual({ done: true, value: undefined });
});

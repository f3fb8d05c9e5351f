import { expect, test } from 'vitest';
import { catchUpMs, nextStartMs } from '../../../../src/core/fleet/agent/schedule.js';
import { waitUntil } from '../../../../src/core/fleet/agent/wait-until.js';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const half = (): number => 0.5;

test('cycles begin an interval apart, a little spread, and never before the one before has ended', () => {
  const cycle = { startedMs: 0, endedMs: MINUTE, intervalMs: HOUR, outages: 0 };

  expect(nextStartMs(cycle, half)).toBe(HOUR);
  expect(nextStartMs(cycle, () => 0)).toBe(HOUR - 150_000);
  expect(nextStartMs(cycle, () => 1)).toBe(HOUR + 150_000);
  expect(nextStartMs({ ...cycle, endedMs: 3 * HOUR }, half)).toBe(3 * HOUR);
});

test('a store that is down is asked again soon, then ever more seldom, and never in step', () => {
  const waits = (intervalMs: number, random: () => number): number[] =>
    [1, 2, 3, 4, 5, 6, 7, 8, 40].map((outages) =>
      nextStartMs({ startedMs: 0, endedMs: 0, intervalMs, outages }, random),
    );

  expect(waits(HOUR, () => 1)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((minutes) => minutes * MINUTE));
  expect(waits(HOUR, () => 0)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30].map((minutes) => minutes * MINUTE));
  expect(waits(5000, () => 1).at(-1)).toBe(15 * MINUTE);
  // A day of it.
  let [atMs, outages] = [0, 0];
  while (atMs < 24 * HOUR)
    atMs = nextStartMs({ startedMs: atMs, endedMs: atMs, intervalMs: HOUR, outages: ++outages }, half);
  expect(outages).toBeLessThan(45);
});

test('who slept through its time does not come at the same moment as everybody else', () => {
  expect(catchUpMs(0, 1000, HOUR, half)).toBe(0);
  expect(catchUpMs(0, 5 * HOUR, HOUR, half)).toBe(30_000);
  expect(catchUpMs(0, 5 * HOUR, MINUTE, () => 1)).toBe(6000);
});

test('waiting goes by the wall clock, which runs on while a computer sleeps, and ends where that was set back', async () => {
  let nowMs = 0;
  const { signal } = new AbortController();
  const slept: number[] = [];
  const clock = (jumpMs: number) => ({
    now: () => new Date(nowMs),
    random: half,
    sleep: (ms: number) => {
      slept.push(ms);
      nowMs += slept.length === 1 ? jumpMs : ms;
      return Promise.resolve();
    },
  });

  await waitUntil(HOUR, clock(9 * HOUR), signal);
  expect(slept).toEqual([30_000]);

  [nowMs, slept.length] = [HOUR, 0];
  await waitUntil(HOUR + MINUTE, clock(-1000 * HOUR), signal);
  expect(slept).toEqual([30_000, 30_000]);
});

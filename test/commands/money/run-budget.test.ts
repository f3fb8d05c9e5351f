import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunBudget } from '../../../src/commands/money/run-budget.js';
import { RESERVED_MS } from '../../../src/core/money/budget/reserved.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what a run has reserved is renewed for as long as it goes on, and before it expires', () => {
  const run = new RunBudget('a'.repeat(16));
  const renew = vi.fn<() => Promise<void>>(() => Promise.resolve());
  run.keep({}, { micros: 1, bytes: 2 }, renew);

  vi.advanceTimersByTime(RESERVED_MS - 1);
  const within = renew.mock.calls.length;
  vi.advanceTimersByTime(60 * RESERVED_MS);
  const later = renew.mock.calls.length;
  run.close();
  vi.advanceTimersByTime(60 * RESERVED_MS);

  expect([within, later, renew.mock.calls.length]).toEqual([2, 182, 182]);
});

test('the parts of a run add up, and a part that is asked again takes its own place', () => {
  const run = new RunBudget('a'.repeat(16));
  const [one, other] = [{}, {}];
  const renew = (): Promise<void> => Promise.resolve();
  run.keep(one, { micros: 1, bytes: 10 }, renew);
  run.keep(other, { micros: 2, bytes: 20 }, renew);
  run.keep(one, { micros: 5, bytes: 0 }, renew);

  expect([run.all, run.without(one), run.hasReserved]).toEqual([
    { micros: 7, bytes: 20 },
    { micros: 2, bytes: 20 },
    true,
  ]);
  run.close();
});

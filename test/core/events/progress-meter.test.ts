import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { metered, progressMeter, scanMeter } from '../../../src/core/events/progress-meter.js';

let events: TransferEvent[];
const emit = (event: TransferEvent): void => void events.push(event);

beforeEach(() => {
  events = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

it('tells ten times a second at most, and what came last also when nothing more comes', () => {
  const meter = progressMeter(emit, (index) => `file ${index}`);
  for (let at = 0; at < 1000; at++) {
    meter.add(1, 10, at);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(100);

  expect(events.length).toBeLessThanOrEqual(12);
  expect(events.at(-1)).toEqual({ type: 'progress', items: 1000, bytes: 10_000, path: 'file 999' });
});

it('says nothing after its end', () => {
  const meter = progressMeter(emit);
  meter.add(1, 10);
  meter.add(1, 10);
  meter.finish();
  vi.advanceTimersByTime(1000);

  expect(events).toEqual([
    { type: 'progress', items: 1, bytes: 10 },
    { type: 'progress', items: 2, bytes: 20 },
  ]);
});

it('does not count what comes after its end', () => {
  const meter = progressMeter(emit);
  meter.add(1, 10);
  vi.advanceTimersByTime(1000);
  meter.finish();
  meter.add(1, 10);
  vi.advanceTimersByTime(1000);

  expect(events.at(-1)).toEqual({ type: 'progress', items: 1, bytes: 10 });
});

it('tells of the last that was found', () => {
  const tell = scanMeter(emit);
  tell(1, 10);
  tell(7, 70);
  vi.advanceTimersByTime(100);

  expect(events.at(-1)).toEqual({ type: 'scan', items: 7, bytes: 70 });
});

it('tells what was done of work that fails', async () => {
  const meter = progressMeter(emit);
  meter.add(1, 10);
  meter.add(1, 10);

  await expect(metered(meter, Promise.reject(new Error('torn')))).rejects.toThrow('torn');
  expect(events.at(-1)).toEqual({ type: 'progress', items: 2, bytes: 20 });
});

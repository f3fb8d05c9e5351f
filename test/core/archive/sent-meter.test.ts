import { beforeEach, expect, it } from 'vitest';
import { SentMeter } from '../../../src/core/archive/transfer/sent-meter.js';
import type { TransferEvent } from '../../../src/core/events/events.js';

let events: TransferEvent[];
let now: number;
let meter: SentMeter;

beforeEach(() => {
  events = [];
  now = 0;
  meter = new SentMeter(
    (event) => void events.push(event),
    () => now,
  );
});

const last = (): unknown => events.at(-1);

it('counts a chunk on its way by the share of it that was sent, in source bytes', () => {
  const chunk = meter.chunk(1000, 400);

  chunk.onSent('a', 100);

  expect(last()).toEqual({ type: 'sent', items: 0, bytes: 250, storedBytes: 100 });
});

it('tells ten times a second at most, and the totals in the end', () => {
  const chunk = meter.chunk(1000, 1000);

  for (let sent = 1; sent <= 1000; sent += 1) {
    now += 1;
    chunk.onSent('a', sent);
  }
  chunk.finish(3);
  meter.finish();

  expect(events.length).toBeLessThanOrEqual(12);
  expect(last()).toEqual({ type: 'sent', items: 3, bytes: 1000, storedBytes: 1000 });
});

it('does not fall when a request is repeated, and counts what went over the wire twice', () => {
  const chunk = meter.chunk(1000, 100);
  const told: number[] = [];
  for (const sent of [50, 90, 20, 60, 100]) {
    now += 100;
    chunk.onSent('a', sent);
    const event = events.at(-1);
    if (event?.type === 'sent') told.push(event.bytes);
  }

  expect(told).toEqual([500, 900, 900, 900, 1000]);
  expect(last()).toMatchObject({ storedBytes: 190 });
});

it('adds up the objects of a chunk, and several chunks', () => {
  const [one, two] = [meter.chunk(1000, 100), meter.chunk(500, 500)];

  one.onSent('file', 60);
  one.onSent('chunk', 40);
  two.onSent('chunk', 250);
  meter.finish();

  expect(last()).toEqual({ type: 'sent', items: 0, bytes: 1250, storedBytes: 350 });
});

it('counts a chunk that need not be sent as there', () => {
  meter.chunk(1000, 100).finish(2);
  meter.finish();

  expect(last()).toEqual({ type: 'sent', items: 2, bytes: 1000, storedBytes: 0 });
});

it('counts files and bytes of a further plan from zero, and goes on with what went over the wire', () => {
  const chunk = meter.chunk(1000, 100);
  chunk.onSent('a', 100);
  chunk.finish(7);

  meter.begin();

  expect(last()).toEqual({ type: 'sent', items: 0, bytes: 0, storedBytes: 100 });
});

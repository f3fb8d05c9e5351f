import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTransferStore, type TransferStore } from '../../src/stores/transfer-store.js';

let store: TransferStore;
let publications: number;

beforeEach(() => {
  vi.useFakeTimers();
  store = createTransferStore({ now: () => Date.now() });
  publications = 0;
  store.subscribe(() => (publications += 1));
});

afterEach(() => {
  vi.useRealTimers();
});

it('publishes at most ten times a second however many events come', () => {
  const { apply } = store.getState();

  for (let millisecond = 0; millisecond < 1000; millisecond += 1) {
    apply({ type: 'progress', items: millisecond, bytes: millisecond });
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(200);

  expect(publications).toBeGreaterThan(5);
  expect(publications).toBeLessThanOrEqual(10);
  expect(store.getState().snapshot.itemsDone).toBe(999);
});

it('publishes nothing while nothing happens', () => {
  vi.advanceTimersByTime(60_000);

  expect(publications).toBe(0);
});

it('publishes at once when asked, and not again for the same events', () => {
  store.getState().apply({ type: 'progress', items: 3, bytes: 30 });

  store.getState().refresh();
  vi.advanceTimersByTime(1000);

  expect(publications).toBe(1);
  expect(store.getState().snapshot.itemsDone).toBe(3);
});

it('says at once that it is stopping', () => {
  store.getState().requestStop();

  expect(store.getState().snapshot.isStopping).toBe(true);
});

it('publishes what is left when it closes, and nothing after that', () => {
  store.getState().apply({ type: 'progress', items: 3, bytes: 30 });
  store.getState().close();
  store.getState().apply({ type: 'progress', items: 4, bytes: 40 });
  store.getState().refresh();
  vi.advanceTimersByTime(1000);

  expect(publications).toBe(1);
  expect(store.getState().snapshot.itemsDone).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

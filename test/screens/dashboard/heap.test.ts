import { expect, it } from 'vitest';
import { refreshFor } from './refresh-for.js';

it('refreshes for two hours, 1,440 times, and the heap is where it was', async () => {
  const { grown, written, readAt } = await refreshFor(1440);

  expect(readAt).toBe('2025-11-14T02:41:40.000Z');
  expect(written).toBeGreaterThan(1440 * 1000);
  expect(grown).toBeLessThan(5e6);
}, 300_000);

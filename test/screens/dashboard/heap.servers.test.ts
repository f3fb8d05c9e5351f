// Among the suites with servers because it takes a minute; it needs none.
import { expect, it } from 'vitest';
import { refreshFor } from './refresh-for.js';

it('refreshes for 24 hours, 17,280 times, and the heap is where it was', async () => {
  const { grown, readAt } = await refreshFor(17_280);

  expect(readAt).toBe('2025-11-15T00:41:40.000Z');
  expect(grown).toBeLessThan(5e6);
}, 600_000);

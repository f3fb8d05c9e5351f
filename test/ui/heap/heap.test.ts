import { expect, it } from 'vitest';
import { drawFrames } from './draw-frames.js';

// As published, Ink keeps 6.7 MB of these.
it('draws 10,000 different frames and the heap grows by less than 3 MB', async () => {
  const { grown, written } = await drawFrames(10_000);

  expect(written).toBeGreaterThan(10_000 * 200);
  expect(grown).toBeLessThan(3e6);
}, 300_000);

// Among the suites with servers because it takes minutes; it needs none.
import { expect, it } from 'vitest';
import { drawFrames } from './draw-frames.js';

it('draws 200,000 different frames and the heap grows by less than 20 MB', async () => {
  const { grown, written } = await drawFrames(200_000);

  expect(written).toBeGreaterThan(200_000 * 200);
  expect(grown).toBeLessThan(20e6);
}, 3_600_000);

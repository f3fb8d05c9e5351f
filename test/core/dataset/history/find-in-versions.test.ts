import { expect, test } from 'vitest';
import { findInVersions } from '../../../../src/core/dataset/history/find-in-versions.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { DATASET, makeDataset } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';

test('a store that cannot be reached ends the search, and is not asked again for each version', async () => {
  const made = makeDataset([1, 2, 3].map((at) => ({ files: [{ path: `f${at}`, content: 'x' }] })));
  const reader = memoryReader(made.objects);
  const asked: string[] = [];
  const unreachable = {
    ...reader,
    get: (key: string) => {
      if (!key.includes('manifest')) return reader.get(key);
      asked.push(key);
      return Promise.reject(new ArchiverError('stalled', 'no answer'));
    },
  };

  await expect(findInVersions(unreachable, DATASET, { isWanted: () => true })).rejects.toThrow('no answer');
  expect(asked).toHaveLength(1);
});

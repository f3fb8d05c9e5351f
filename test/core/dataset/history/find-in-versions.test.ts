import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findInVersions } from '../../../../src/core/dataset/history/find-in-versions.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { DATASET, makeDataset } from '../../../support/make-dataset.js';
import { findMatcher, findNeedles, findRanges } from '../../../../src/core/format/manifest/find-pattern.js';
import { histories } from '../../../support/chain-model.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { withRecords, writtenHistory } from '../../../support/written-history.js';

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

const patterns = fc.constantFrom(
  'd',
  'd-x',
  'a',
  'd/*',
  '*d*',
  'd/**',
  '**/a',
  './d/*',
  'd-*',
  'd?x',
  '\\xff',
  '*',
  '{a,d}/*',
);

test('what is found is the same in versions in segments and in deltas, and each segment is fetched once', async () => {
  await fc.assert(
    fc.asyncProperty(histories, patterns, fc.array(fc.boolean()), async (history, pattern, isSegmented) => {
      const segmented = withRecords(await writtenHistory(history, {}, (version) => isSegmented[version] ?? true));
      const whole = withRecords(await writtenHistory(history, { blockEntries: Infinity }));
      const reader = memoryReader(segmented);
      const isWanted = findMatcher(pattern);
      const where = { isWanted, needles: findNeedles(pattern), ranges: findRanges(pattern) };

      const { hits, problems } = await findInVersions(reader, 'd', where);
      const plain = await findInVersions(memoryReader(whole), 'd', { isWanted });

      expect([hits, problems]).toEqual([plain.hits, []]);
      const fetched = reader.ranges.filter((key) => key.includes('/manifest/'));
      expect(fetched).toHaveLength(new Set(fetched).size);
    }),
    { numRuns: 200 },
  );
});

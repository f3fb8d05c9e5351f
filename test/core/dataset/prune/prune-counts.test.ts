import { expect, test } from 'vitest';
import type { PrunePlan } from '../../../../src/core/dataset/prune/plan-prune.js';
import type { ObjectStore } from '../../../../src/core/object-store/object-store.js';
import { StoreError } from '../../../../src/core/object-store/store-error.js';
import { DAY, datasetFolder, pruneFolder } from './prune-run.js';

/** Keys and sizes of what is marked. */
const markedIn = (plan: PrunePlan | undefined): readonly string[] =>
  (plan?.marked ?? []).flatMap(({ objects }) => objects.map(({ key, sizeBytes }) => `${key} ${sizeBytes}`)).toSorted();

test('what is planned is what is marked, with what rewritten manifests leave', async () => {
  const { planned, plan } = await pruneFolder(await datasetFolder(), { graceMs: DAY });

  expect(planned.compacted).not.toEqual([]);
  expect(markedIn(planned)).toEqual(markedIn(plan));
});

test('a store that refuses to replace what has not changed is said to, and no other process is blamed', async () => {
  const noIfMatch = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      if (options?.ifMatch !== undefined) throw new StoreError('conflict', '412');
      return await store.put(key, body, options);
    },
  });

  await expect(pruneFolder(await datasetFolder(), { wrap: noIfMatch })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringMatching(/cannot be replaced: .*it does not keep If-Match/),
  });
});

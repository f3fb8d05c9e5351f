import { expect, test } from 'vitest';
import type { PrunePlan } from '../../../../src/core/dataset/prune/plan-prune.js';
import { DAY, datasetFolder, pruneFolder } from './prune-run.js';

/** Keys and sizes of what is marked. */
const markedIn = (plan: PrunePlan | undefined): readonly string[] =>
  (plan?.marked ?? []).flatMap(({ objects }) => objects.map(({ key, sizeBytes }) => `${key} ${sizeBytes}`)).toSorted();

test('what is planned is what is marked, with what rewritten manifests leave', async () => {
  const { planned, plan } = await pruneFolder(await datasetFolder(), { graceMs: DAY });

  expect(planned.compacted).not.toEqual([]);
  expect(markedIn(planned)).toEqual(markedIn(plan));
});

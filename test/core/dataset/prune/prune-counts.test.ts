import { expect, test, vi } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
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

test('a sweep counts what it said it would delete, and not the marks that it takes away at its end', async () => {
  // Each count is told at once.
  vi.spyOn(performance, 'now').mockImplementation(
    (
      (at) => () =>
        (at += 1000)
    )(0),
  );
  const events: TransferEvent[] = [];
  await pruneFolder(await datasetFolder(), { emit: (event) => void events.push(event) });
  vi.restoreAllMocks();

  const deleting = events.slice(events.findIndex((event) => event.type === 'phase' && event.phase === 'deleting'));
  const planned = deleting.flatMap((event) => (event.type === 'plan' ? event.items : []));
  const counts = deleting.flatMap((event) => (event.type === 'progress' ? event.items : []));

  expect(planned).toHaveLength(1);
  expect(counts.at(-1)).toBe(planned[0]);
  expect(counts.filter((count) => count > (planned[0] ?? 0))).toEqual([]);
});

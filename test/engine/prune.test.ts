import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archive, prune, type PruneOptions, restore, sync, verifyStore, versions } from '../../src/engine/index.js';
import { engineStore, type EngineStore, eventLog } from '../support/engine-store.js';

const uploadsIn = (folder: string): readonly string[] => readdirSync(join(folder, 'store', 'uploads'));

/** Three versions, each the difference to the one before. */
async function threeVersions(): Promise<EngineStore & { readonly datasetId: string }> {
  const made = await engineStore();
  for (let index = 0; index < 40; index++) made.write(`many/${index}`, String(index));
  const { datasetId } = await archive(made.store, made.source);
  for (const second of [1, 2]) {
    made.write('a.txt', `alpha ${second}`, 1_700_000_000 + second);
    await sync(made.store, made.source);
  }
  return { ...made, datasetId };
}

const named = (found: readonly { readonly version: number }[]): readonly number[] =>
  found.map(({ version }) => version);

describe('prune', () => {
  test('says what would go, and changes nothing', async () => {
    const { folder, store, datasetId } = await threeVersions();

    const { datasets: pruned, ...of } = await prune(store, { dataset: datasetId, keep: { last: 1 }, dryRun: true });

    expect(pruned).toMatchObject([{ datasetId, compacted: [3], dependent: [] }]);
    expect([named(pruned[0]?.retired ?? []), named(pruned[0]?.kept ?? [])]).toEqual([[1, 2], [3]]);
    expect(pruned[0]?.kept[0]).toMatchObject({ reasons: ['latest'] });
    expect(of).toMatchObject({ dryRun: true, failed: [], warnings: [] });
    expect((await versions(store)).versions).toHaveLength(3);
    expect(uploadsIn(folder)).toHaveLength(3);
  });

  test('retires and marks, and deletes only when the marks are old enough', async () => {
    const { folder, store, datasetId } = await threeVersions();
    const { onEvent, types } = eventLog();

    const marked = await prune(store, { dataset: 'photos', keep: { last: 1 }, onEvent });
    const again = await prune(store, { allDatasets: true, keep: { last: 1 } });

    expect(marked).toMatchObject({ dryRun: false, deletedObjects: 0, marked: { freedFrom: expect.any(String) } });
    expect(marked.marked.objects).toBeGreaterThan(0);
    expect(again).toMatchObject({
      deletedObjects: 0,
      marked: { objects: 0 },
      waiting: { objects: marked.marked.objects },
    });
    expect(named((await versions(store, { dataset: datasetId })).versions)).toEqual([3]);
    expect(uploadsIn(folder)).toHaveLength(3);
    expect(types()[0]).toBe('start');
  });

  test('deletes at once where nobody else is there, and what is kept is whole', async () => {
    const { store, out } = await threeVersions();

    const { deletedObjects, deletedBytes } = await prune(store, {
      allDatasets: true,
      keep: { last: 1 },
      instant: true,
    });

    expect(Math.min(deletedObjects, deletedBytes)).toBeGreaterThan(0);
    expect(await verifyStore(store, { check: 'content' })).toMatchObject({ ok: true, versions: 1 });
    expect(await restore(store, out)).toMatchObject({ version: 3, files: 43, failed: [] });
  });

  test.each<[string, Partial<PruneOptions>, string]>([
    ['no dataset', { allDatasets: false }, 'usage'],
    ['a dataset and all of them', { dataset: 'photos' }, 'usage'],
    ['no rules', { keep: {} as { last: number } }, 'usage'],
    ['a rule that is none', { keep: { last: 1, weekley: 4 } as { last: number } }, 'usage'],
    ['a grace that is too short', { graceMs: 1000 }, 'usage'],
    ['a dataset that is not there', { allDatasets: false, dataset: 'none' }, 'not-found'],
    ['the beginning of a dataset', { allDatasets: false, dataset: 'phot' }, 'not-found'],
    ['a signal that has come', { signal: AbortSignal.abort() }, 'cancelled'],
  ])('refuses %s', async (_what, options, code) => {
    const { store } = await threeVersions();

    await expect(prune(store, { allDatasets: true, keep: { last: 1 }, ...options })).rejects.toMatchObject({ code });

    expect((await versions(store)).versions).toHaveLength(3);
  });

  test('that is ended deletes nothing that a version needs, and the same call finishes', async () => {
    const { store } = await threeVersions();
    const ending = new AbortController();

    const pruning = prune(store, {
      allDatasets: true,
      keep: { last: 1 },
      instant: true,
      signal: ending.signal,
      onEvent: (event) => event.type === 'phase' && event.phase === 'rebuilding' && ending.abort(),
    });

    await expect(pruning).rejects.toMatchObject({ code: 'cancelled' });
    expect(await verifyStore(store)).toMatchObject({ ok: true });
    await prune(store, { allDatasets: true, keep: { last: 1 }, instant: true });
    expect(await verifyStore(store, { check: 'content' })).toMatchObject({ ok: true, versions: 1 });
  });
});

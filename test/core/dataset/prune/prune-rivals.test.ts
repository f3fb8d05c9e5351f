// Somebody else works on the dataset while it is pruned.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { linkId } from '../../../support/make-chain.js';
import {
  allContent,
  allKeys,
  makeDataset,
  recordKey,
  versionContent,
  writeObjects,
} from '../../../support/make-dataset.js';
import { copyOf, DAY, datasetFolder, LINKS, onMutation, pruneFolder, type PruneRun, stepsOf } from './prune-run.js';

const made = makeDataset(LINKS);
let folder = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
});

const without = async (version: number): Promise<string> => {
  const copy = await copyOf(folder);
  await fileStore(copy).delete([...made.objectsOf(version).keys()]);
  return copy;
};

describe('a sync that commits meanwhile', () => {
  test('is never harmed, whenever it does, and neither is the prune', async () => {
    const ready = await without(5);
    const keep = { last: 1 };
    const steps = await stepsOf(ready, { keep });
    expect(steps.findIndex((step) => step.startsWith('delete uploads/'))).toBeGreaterThan(5);

    for (let step = 0; step < steps.length; step++) {
      const copy = await copyOf(ready);
      const commit = async (call: number): Promise<void> => {
        if (call === step) await writeObjects(copy, made.objectsOf(5));
      };

      await pruneFolder(copy, { keep, wrap: (store) => onMutation(store, commit) });

      expect([step, await versionContent(fileStore(copy), 5)]).toEqual([step, before.get(5)]);
      expect([step, await versionContent(fileStore(copy), 4)]).toEqual([step, before.get(4)]);
      await pruneFolder(copy);
      expect([step, await allContent(fileStore(copy))]).toEqual([step, new Map([4, 5].map((v) => [v, before.get(v)]))]);
    }
  });

  test('while a person looks at the plan changes nothing of what was agreed', async () => {
    const ready = await without(5);
    const afterPlan = (): Promise<void> => writeObjects(ready, made.objectsOf(5));

    await pruneFolder(ready, { keep: { last: 1 }, afterPlan });

    expect(await allContent(fileStore(ready))).toEqual(new Map([4, 5].map((v) => [v, before.get(v)])));
  });

  test('into another dataset under the same base is not understood when its record is damaged: nothing is deleted', async () => {
    const record = JSON.parse(await readFile(join(folder, recordKey(5)), 'utf8')) as Record<string, unknown>;
    const commit = async (call: number): Promise<void> => {
      if (call === 3)
        await writeObjects(folder, new Map([['datasets/other-1/v00000001.json', Buffer.from(JSON.stringify(record))]]));
    };
    const chunks = (await allKeys(fileStore(folder))).filter((key) => key.startsWith('uploads/'));

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, commit) })).rejects.toThrow(
      /nothing was pruned: .*other-1/,
    );
    expect(await allKeys(fileStore(folder))).toEqual(expect.arrayContaining(chunks));
  });
});

describe('two prunes', () => {
  test('at once end with one that is done, and nothing is lost or left behind', async () => {
    for (let round = 0; round < 5; round++) {
      const copy = await copyOf(folder);

      const ended = await Promise.allSettled([
        pruneFolder(copy),
        pruneFolder(copy),
        pruneFolder(copy, { keep: { last: 1 } }),
      ]);

      const strange = ended.filter(({ status }) => status === 'rejected');
      expect(strange.filter((result) => !('reason' in result && result.reason instanceof ArchiverError))).toEqual([]);
      expect(await versionContent(fileStore(copy), 5)).toEqual(before.get(5));
      // A prune that was beaten to a version may leave a rewritten manifest in an upload that is gone: an abandoned one.
      await pruneFolder(copy, { keep: { last: 1 }, abandonedAfterMs: 0 });
      expect(await allContent(fileStore(copy))).toEqual(new Map([[5, before.get(5)]]));
      expect((await allKeys(fileStore(copy))).filter((key) => /\.bak$|\.compact-|sweep-/.test(key))).toEqual([]);
    }
  });

  // A store does not say whose request deleted an object.
  test('do not both count what is deleted, nor what is marked, whenever they meet', async () => {
    const ready = await copyOf(folder);
    const graceMs = DAY;
    const marked = (run: PruneRun | undefined): number =>
      (run?.plan?.marked ?? []).reduce((sum, { objects }) => sum + objects.length, 0);
    const all = marked(await pruneFolder(await copyOf(folder), { graceMs }));
    await pruneFolder(ready, { graceMs });
    const steps = await stepsOf(ready);
    const first = steps.findIndex((step) => step.startsWith('delete uploads/'));
    const sums: number[] = [];
    const freed = (await pruneFolder(await copyOf(ready))).freedBytes;

    for (let step = 0; step < steps.length; step++) {
      const copy = await copyOf(ready);
      let rival: PruneRun | undefined;
      const meet = async (call: number): Promise<void> => {
        if (call === step) rival = await pruneFolder(copy);
      };
      const run = await pruneFolder(copy, { wrap: (store) => onMutation(store, meet) });
      sums.push((run.deletedObjects ?? 0) + (rival?.deletedObjects ?? 0));
      expect((run.freedBytes ?? 0) + (rival?.freedBytes ?? 0)).toBeLessThanOrEqual(freed ?? 0);
    }
    expect([Math.max(...sums), sums[first]]).toEqual([all, all]);

    let rival: PruneRun | undefined;
    const meet = async (_call: number, what: string): Promise<void> => {
      if (what.includes('/sweep-') && rival === undefined) rival = await pruneFolder(folder, { graceMs });
    };
    const run = await pruneFolder(folder, { graceMs, wrap: (store) => onMutation(store, meet) });
    expect([marked(run), marked(rival)]).toEqual([0, all]);
  });

  test('a version that another prune removes while it is compacted does not come back', async () => {
    const remove = async (_call: number, what: string): Promise<void> => {
      if (what.includes('.compact-')) await fileStore(folder).delete([recordKey(4)]);
    };

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, remove) })).rejects.toThrow(
      'version 4 of dataset made-00000000 was removed while its manifest was being replaced',
    );
    expect(await allKeys(fileStore(folder))).not.toContain(recordKey(4));
    expect(await versionContent(fileStore(folder), 5)).toEqual(before.get(5));
  });

  test('a record that somebody else rewrote is not overwritten', async () => {
    const text = await readFile(join(folder, recordKey(5)), 'utf8');
    const touch = async (_call: number, what: string): Promise<void> => {
      if (what.includes('.compact-'))
        await writeFile(join(folder, recordKey(4)), text.replaceAll('"version":5', '"version":4'));
    };

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, touch) })).rejects.toThrow(
      /v00000004.json.* is damaged/,
    );
    expect(await readFile(join(folder, recordKey(4)), 'utf8')).toContain(linkId(4));
  });
});

// One version by many workers: what it lists is what a single upload of the folder lists.
import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectWhole } from '../resume/interrupted.js';
import { RandomTree, randomOf } from '../random-tree.js';
import { uploadFolder } from '../upload-folder.js';
import { committed, listedBy, notes, planned, planSite, worked, workedAll, type PlanSite } from './plan-runs.js';

const MIB = 2 ** 20;

async function random(seed: number): Promise<PlanSite> {
  const site = await planSite();
  new RandomTree(site.source, randomOf(seed), MIB).edit(120);
  return site;
}

describe.each([1, 2, 3, 4])('a random folder (seed %i)', (seed) => {
  test('by many workers lists what a single upload lists, and restores to what it was', async () => {
    const site = await random(seed);
    const single = await uploadFolder(site.source, `${site.base}-single`, { datasetId: 'd' }).result;

    const plan = await planned(site, { count: 7 });
    await workedAll(site, plan);
    const version = await committed(site, plan.uploadId);

    expect(plan.parts.length).toBeGreaterThan(2);
    expect(version).toMatchObject({ version: 1, isAlready: false, partial: false });
    expect(await listedBy(site.base, plan.uploadId)).toEqual(await listedBy(`${site.base}-single`, single.uploadId));
    await expectWhole(site as never, plan.uploadId);
  });
});

describe.each([1, 2, 3, 4, 5, 6])('a random folder that is listed a few entries at a time (seed %i)', (seed) => {
  test.each([{ count: 7 }, { bytes: MIB }])('in parts of %j', async (partSize) => {
    const site = await random(seed);
    const single = await uploadFolder(site.source, `${site.base}-single`, { datasetId: 'd' }).result;
    const whole = await planned({ ...site, base: `${site.base}-whole` }, partSize);

    const plan = await planned(site, partSize, {}, 10);
    await workedAll(site, plan);
    const version = await committed(site, plan.uploadId);

    expect(plan.totals).toEqual(whole.totals);
    expect(plan.parts.length).toBeGreaterThan(1);
    expect(version).toMatchObject({ version: 1, isAlready: false, partial: false });
    expect(await listedBy(site.base, plan.uploadId)).toEqual(await listedBy(`${site.base}-single`, single.uploadId));
    await expectWhole(site as never, plan.uploadId);
  });
});

test('a folder that is listed a few entries at a time asks the budgets for as many whole bytes', async () => {
  const site = await small();
  for (let n = 0; n < 7; n++) writeFileSync(join(site.source, `odd-${n}`), 'x'.repeat(1000 * n + 1));
  const asked: number[] = [];
  const uploadGate = async ({ bytes }: { readonly bytes: number }) => void asked.push(bytes);

  const plan = await planned(site, { count: 3 }, { uploadGate }, 3);

  expect(asked).toEqual([Math.round(asked[0] ?? 0)]);
  expect(asked[0]).toBeGreaterThan(plan.totals.bytes);
  expect(site.events).toContainEqual({ type: 'plan', items: plan.totals.files, bytes: plan.totals.bytes });
});

test('a folder that is listed a few entries at a time is compared with its version as a whole', async () => {
  const site = await small();
  const plan = await planned(site, { count: 3 }, {}, 5);
  await workedAll(site, plan);
  await committed(site, plan.uploadId);
  writeFileSync(join(site.source, 'b', '3'), 'changed');

  const changes = { dataset: { changes: { trackDeletes: true } } };
  const next = await planned(site, { count: 3 }, changes, 5);
  await workedAll(site, next);
  await committed(site, next.uploadId);

  expect(next.changes).toMatchObject({ modified: 1, unchanged: 23, deleted: 0 });
  await expectWhole(site as never, next.uploadId);
});

async function small(): Promise<PlanSite> {
  const site = await planSite();
  for (const folder of ['a', 'b', 'c', 'd']) {
    mkdirSync(join(site.source, folder));
    for (let n = 0; n < 6; n++) writeFileSync(join(site.source, folder, `${n}`), `${folder}${n}`.repeat(500));
  }
  return site;
}

test('names of one file in several parts are restored as one, and its content is stored once a part', async () => {
  const site = await small();
  const [first = '', ...others] = ['a', 'b', 'c', 'd'].map((folder) => join(site.source, folder, 'same'));
  writeFileSync(first, 's'.repeat(5000));
  for (const other of others) linkSync(first, other);
  const single = await uploadFolder(site.source, `${site.base}-single`, { datasetId: 'd' }).result;

  const plan = await planned(site);
  await workedAll(site, plan);
  await committed(site, plan.uploadId);

  expect(plan.spanning).toEqual({ groups: 1, bytes: 15_000 });
  expect(await listedBy(site.base, plan.uploadId)).toEqual(await listedBy(`${site.base}-single`, single.uploadId));
  await expectWhole(site as never, plan.uploadId);
});

test('a commit without some parts names them, makes nothing, and succeeds when they are there', async () => {
  const site = await small();
  const plan = await planned(site, { count: 6 });
  await worked(site, plan.uploadId, 0);
  await worked(site, plan.uploadId, 4);

  const refused = await committed(site, plan.uploadId);
  const objects = readdirSync(join(site.base, 'uploads', plan.uploadId));
  await workedAll(site, plan);
  const version = await committed(site, plan.uploadId);
  const again = await committed(site, plan.uploadId);

  expect(refused).toMatchObject({ missing: [1, 2, 3, 5] });
  expect(objects).not.toContain('manifest.json.gz');
  expect(version).toMatchObject({ version: 1, isAlready: false });
  expect(again).toMatchObject({ version: 1, isAlready: true });
});

test('a part that is done is not done again, and of two at once the first counts', async () => {
  const site = await small();
  const plan = await planned(site, { count: 2 });

  const both = await Promise.all([worked(site, plan.uploadId, 0), worked(site, plan.uploadId, 0)]);
  const later = await worked(site, plan.uploadId, 0);
  await worked(site, plan.uploadId, 1);
  const version = await committed(site, plan.uploadId);

  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['beaten', 'stored']);
  expect(later).toMatchObject({
    outcome: 'before',
    attempt: both.find(({ outcome }) => outcome === 'stored')?.attempt,
  });
  expect(version).toMatchObject({ version: 1, partial: false });
  expect(notes(site).filter((text) => text.includes('marked, a later prune deletes them'))).toHaveLength(1);
  await expectWhole(site as never, plan.uploadId);
});

test('what vanished, changed or became something else after the plan is as an upload would have it', async () => {
  const site = await small();
  const plan = await planned(site);
  rmSync(join(site.source, 'a', '1'));
  writeFileSync(join(site.source, 'b', '1'), 'changed');
  rmSync(join(site.source, 'c', '1'));
  symlinkSync('2', join(site.source, 'c', '1'));
  writeFileSync(join(site.source, 'd', 'new'), 'not planned');

  await workedAll(site, plan);
  const version = await committed(site, plan.uploadId);
  rmSync(join(site.source, 'd', 'new'));
  rmSync(join(site.source, 'c', '1'));

  expect(version).toMatchObject({
    partial: true,
    leftOut: {
      count: 2,
      paths: [
        { path: 'a/1', reason: 'vanished after it was planned' },
        { path: 'c/1', reason: 'is no regular file any more' },
      ],
    },
  });
  const times = ['c', 'd']; // folders whose time has changed since
  const without = (tree: readonly object[]) =>
    tree.filter((entry) => !times.includes((entry as { path: string }).path));
  const single = await uploadFolder(site.source, `${site.base}-single`, { datasetId: 'd' }).result;
  expect(without(await listedBy(site.base, plan.uploadId))).toEqual(
    without(await listedBy(`${site.base}-single`, single.uploadId)),
  );
});

test('a part of which most paths are gone is refused, unless that is allowed', async () => {
  const site = await small();
  const plan = await planned(site, { count: 2 });
  for (const folder of ['a', 'b']) rmSync(join(site.source, folder), { recursive: true });

  await expect(worked(site, plan.uploadId, 0)).rejects.toMatchObject({
    code: 'mass-delete',
    message: expect.stringMatching(/^1\d of 1\d files of part 0 are gone from .*; nothing was sent$/),
  });
  expect(readdirSync(join(site.base, 'uploads'))).toEqual([plan.uploadId]);
  expect(await worked(site, plan.uploadId, 0, { allowMassDelete: true })).toMatchObject({ partial: true });
});

test('an empty folder has one part', async () => {
  const site = await planSite();

  const plan = await planned(site);
  await workedAll(site, plan);

  expect(plan.parts).toHaveLength(1);
  expect(await committed(site, plan.uploadId)).toMatchObject({ version: 1, totals: { entries: 0 } });
});

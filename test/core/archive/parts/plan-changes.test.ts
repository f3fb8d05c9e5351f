// A plan of a dataset that has versions: what it commits is what a sync of the same folder makes.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noise } from '../trees.js';
import { smallSegments } from '../../../support/small-segments.js';
import { expectWhole } from '../resume/interrupted.js';
import { RandomTree, randomOf } from '../random-tree.js';
import { uploadFolder } from '../upload-folder.js';
import {
  committed,
  listedBy,
  notes,
  planned,
  plannedOrNot,
  planSite,
  type PlanSite,
  worked,
  workedAll,
} from './plan-runs.js';
import { compactVersion } from '../../../../src/core/dataset/prune/compact-version.js';
import { readParsedRecord } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { program } from '../../../../src/commands/index.js';
import { json, runCommand } from '../../../support/run-command.js';

let ids = 0;
const randomBytes = (): Buffer => Buffer.from([9, 0, ++ids >> 8, ids & 0xff]);

const sync = async ({ source, base }: PlanSite, at = base) =>
  await uploadFolder(source, at, { datasetId: 'd', changes: { trackDeletes: true }, randomBytes }).result;

const run = (site: PlanSite, ...words: string[]) =>
  runCommand({ root: program(), folder: join(site.base, '..'), env: {} }, words);

const CHANGES = { dataset: { changes: { trackDeletes: true }, allowMassDelete: true } };

/** Plans, works and commits what has changed; returns the upload id. */
async function byParts(site: PlanSite, count: number, options = CHANGES): Promise<string> {
  const plan = await planned(site, { count }, options);
  await workedAll(site, plan);
  await committed(site, plan.uploadId);
  return plan.uploadId;
}

/** Entries without what two uploads of one folder need not have in common. */
const shown = async (base: string, uploadId: string) =>
  (await listedBy(base, uploadId)).map((entry) => ({ ...entry, ctime: undefined }));

const segmentsOf = (base: string, uploadId: string): readonly string[] =>
  (
    JSON.parse(gunzipSync(readFileSync(join(base, 'uploads', uploadId, 'manifest.json.gz'))).toString()) as {
      readonly segments?: readonly { readonly key: string }[];
    }
  ).segments?.map(({ key }) => key) ?? [];

describe.each([
  ['in one object', undefined],
  ['in segments', [20, 8]],
] as const)('a random life of a folder, listed %s', (_how, sizes) => {
  test.each([1, 2, 3, 4])('seed %i', { timeout: 120_000 }, async (seed) => {
    if (sizes !== undefined) onTestFinished(smallSegments(...sizes)());
    const site = await planSite();
    const twin = `${site.base}-single`;
    const any = randomOf(seed);
    const tree = new RandomTree(site.source, any, 2 ** 17);
    tree.edit(60);
    await sync(site);
    await sync(site, twin);
    for (let round = 0; round < 5; round++) {
      tree.edit(1 + Math.floor(any() * 20));
      const plan = await plannedOrNot(site, { count: 1 + Math.floor(any() * 4) }, CHANGES);
      const single = await sync(site, twin);
      expect('parts' in plan).toBe(single.changes?.noChanges !== true);
      if (!('parts' in plan)) continue;
      await workedAll(site, plan);
      const made = await committed(site, plan.uploadId);

      expect(made).toMatchObject({ isAlready: false, partial: false });
      expect(plan.changes).toEqual({ ...plan.changes, ...countsOf(single.changes) });
      expect(await shown(site.base, plan.uploadId)).toEqual(await shown(twin, single.uploadId));
      await expectWhole(site as never, plan.uploadId);
    }
    expect(await run(site, 'verify', `file://${site.base}`, '--deep')).toMatchObject({ status: 0 });
    await run(
      site,
      'dataset',
      'prune',
      `file://${site.base}`,
      '--all-datasets',
      '--keep-last',
      '1',
      '--force',
      '--instant',
    );
    expect(await run(site, 'verify', `file://${site.base}`, '--deep')).toMatchObject({ status: 0 });
    // The next sync builds on it.
    tree.edit(5);
    await expectWhole(site as never, (await sync(site)).uploadId);
  });
});

const countsOf = (changes: Awaited<ReturnType<typeof sync>>['changes']) =>
  changes && {
    added: changes.added,
    modified: changes.modified,
    deleted: changes.deleted,
    unchanged: changes.unchanged,
  };

async function site(): Promise<PlanSite> {
  const made = await planSite();
  for (const folder of ['a', 'b', 'c', 'd']) {
    mkdirSync(join(made.source, folder));
    for (let n = 0; n < 12; n++) writeFileSync(join(made.source, folder, `${n}`), `${folder}${n}`.repeat(500));
  }
  return made;
}

test('only what has changed is packed, and untouched segments are named again', async () => {
  onTestFinished(smallSegments(20, 8)());
  const it = await site();
  const { uploadId: first } = await sync(it);
  writeFileSync(join(it.source, 'b', '3'), 'changed');

  const plan = await planned(it, { count: 4 }, CHANGES);
  await workedAll(it, plan);
  await committed(it, plan.uploadId);

  expect(plan.totals).toMatchObject({ files: 1, bytes: 7 });
  const places = segmentsOf(it.base, plan.uploadId);
  const again = places.filter((key) => key.startsWith(`../${first}/`)).length;
  expect([again, places.length]).toEqual([6, 7]);
});

test('content that moved is referred to, names of one file stay one, and deletions without --track-deletes are kept', async () => {
  const it = await site();
  writeFileSync(join(it.source, 'large'), noise(300_000));
  linkSync(join(it.source, 'large'), join(it.source, 'a', 'same'));
  await sync(it);
  renameSync(join(it.source, 'large'), join(it.source, 'z-moved'));
  rmSync(join(it.source, 'c', '5'));
  writeFileSync(join(it.source, 'new'), 'new');

  const uploadId = await byParts(it, 3, { dataset: { changes: { trackDeletes: false }, allowMassDelete: false } });

  const entries = (await listedBy(it.base, uploadId)) as { path: string; group?: string[] }[];
  const paths = entries.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['c/5', 'new', 'z-moved', 'large']));
  expect(entries.find(({ path }) => path === 'z-moved')?.group).toEqual(['a/same', 'z-moved']);
  const stored = readdirSync(join(it.base, 'uploads'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.zst'))
    .map((name) => readFileSync(join(it.base, 'uploads', name)).length);
  expect(stored.filter((bytes) => bytes > 250_000)).toHaveLength(1);
});

test('too many deletions are refused when it is planned', async () => {
  const it = await site();
  await sync(it);
  for (const folder of ['a', 'b', 'c']) rmSync(join(it.source, folder), { recursive: true });

  const refused = planned(it, { count: 2 }, { dataset: { changes: { trackDeletes: true } } });

  await expect(refused).rejects.toMatchObject({ code: 'mass-delete', exitCode: 4 });
});

test('a version that is not whole is not built on', async () => {
  const it = await site();
  const { uploadId } = await sync(it);
  writeFileSync(join(it.source, 'new'), 'new');
  const [shard = ''] = readdirSync(join(it.base, 'uploads', uploadId)).filter((name) => name.startsWith('shard-'));
  rmSync(join(it.base, 'uploads', uploadId, shard), { recursive: true });

  await expect(planned(it, { count: 2 }, CHANGES)).rejects.toMatchObject({ code: 'integrity' });
});

test('a version that is lost after it was planned is not named by the commit', async () => {
  const it = await site();
  const { uploadId } = await sync(it);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 1 }, CHANGES);
  await workedAll(it, plan);
  const [shard = ''] = readdirSync(join(it.base, 'uploads', uploadId)).filter((name) => name.startsWith('shard-'));
  rmSync(join(it.base, 'uploads', uploadId, shard), { recursive: true });

  await expect(committed(it, plan.uploadId)).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringContaining(
      'version 1 of dataset d, which the plan builds on, is not whole any more',
    ) as string,
  });
  expect(readdirSync(join(it.base, 'datasets', 'd'))).toEqual(['v00000001.json']);
});

test('a version that another writer makes meanwhile stays, and the commit says so', async () => {
  const it = await site();
  await sync(it);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 2 }, CHANGES);
  writeFileSync(join(it.source, 'later'), 'later');
  await sync(it);
  await workedAll(it, plan);

  const made = await committed(it, plan.uploadId);

  expect(made).toMatchObject({ version: 3 });
  expect(notes(it)).toContainEqual(expect.stringContaining('has got version 2 since it was planned on version 1'));
  const paths = ((await listedBy(it.base, plan.uploadId)) as { path: string }[]).map(({ path }) => path);
  expect([paths.includes('new'), paths.includes('later')]).toEqual([true, false]);
  expect(await run(it, 'verify', `file://${it.base}`)).toMatchObject({ status: 0 });
});

test('two commits at once make one version', async () => {
  const it = await site();
  await sync(it);
  for (const folder of ['a', 'b', 'd']) writeFileSync(join(it.source, folder, 'new'), noise(1000));
  const plan = await planned(it, { count: 3 }, CHANGES);
  await workedAll(it, plan);
  // A second attempt at a part, by hand: the first one counts.
  await worked(it, plan.uploadId, 0);

  const both = await Promise.all([committed(it, plan.uploadId), committed(it, plan.uploadId)]);

  expect(both.map((made) => 'version' in made && made.version)).toEqual([2, 2]);
  expect(readdirSync(join(it.base, 'datasets', 'd')).toSorted()).toEqual(['v00000001.json', 'v00000002.json']);
  await expectWhole(it as never, plan.uploadId);
});

test('a commit that goes on with a listing in one object names the index of that', async () => {
  const it = await site();
  await sync(it);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 1 }, CHANGES);
  await workedAll(it, plan);
  const wrap: PlanSite['wrap'] = (store) => ({
    put: async (key, ...more) => {
      if (key.startsWith('datasets/')) throw new Error('killed before its record');
      return await store.put(key, ...more);
    },
  });
  await expect(committed({ ...it, wrap }, plan.uploadId)).rejects.toThrow('killed');

  await committed(it, plan.uploadId);

  const { stdout } = await run(it, 'verify', `file://${it.base}`, '--dataset-id', 'd', '--json');
  expect(json(stdout)).toMatchObject({ ok: true, warnings: [] });
});

test('changes are known for what they are, and go when nobody asks for the plan any more', async () => {
  const it = await site();
  await sync(it);
  utimesSync(join(it.source, 'a', '1'), 1, 1);
  writeFileSync(join(it.source, 'new'), 'new');
  const uploadId = await byParts(it, 1);
  const folder = join(it.base, 'uploads', uploadId);
  const whole = await run(it, 'verify', `file://${it.base}`, '--dataset-id', 'd', '--json');
  const then = Date.now() / 1000 - 8 * 86_400;
  for (const name of readdirSync(join(it.base, 'uploads'), { recursive: true, encoding: 'utf8' }))
    utimesSync(join(it.base, 'uploads', name), then, then);

  const all = ['--all-datasets', '--keep-last', '2', '--force', '--instant'];
  const pruned = await run(it, 'dataset', 'prune', `file://${it.base}`, ...all, '--json');

  for (const { stdout } of [whole, pruned]) expect(json(stdout)).toMatchObject({ warnings: [] });
  expect(readdirSync(folder).filter((name) => name.startsWith('plan'))).toEqual([]);
});

test('a prune between plan and commit takes nothing of the plan', async () => {
  const it = await site();
  await sync(it);
  utimesSync(join(it.source, 'a', '1'), 1, 1);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 1 }, CHANGES);
  await workedAll(it, plan);
  const folder = join(it.base, 'uploads', plan.uploadId);
  const before = readdirSync(folder, { recursive: true });
  const verified = await run(it, 'verify', `file://${it.base}`);
  await run(it, 'dataset', 'prune', `file://${it.base}`, '--all-datasets', '--keep-last', '1', '--force', '--instant');

  expect(readdirSync(folder, { recursive: true })).toEqual(before);
  expect(verified).toMatchObject({ status: 0, stdout: expect.not.stringContaining('changes-') as string });
  expect(await committed(it, plan.uploadId)).toMatchObject({ version: 2 });
  expect((await run(it, 'verify', `file://${it.base}/uploads/${plan.uploadId}`)).stdout).not.toContain('changes-');
  await expectWhole(it as never, plan.uploadId);
});

test('on a store that creates no key only once, an exclusive commit builds on a version, too', async () => {
  const it = { ...(await site()), isPlain: true };
  await sync(it);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 2 }, CHANGES);
  await workedAll(it, plan);

  expect(await committed(it, plan.uploadId, { isExclusive: true })).toMatchObject({ isAlready: false });
  await expectWhole(it as never, plan.uploadId);
});

test.each([
  ['in one object', undefined],
  ['in segments', [20, 8]],
] as const)('a version that is compacted after it was planned is still built on, listed %s', async (_how, sizes) => {
  if (sizes !== undefined) onTestFinished(smallSegments(...sizes)());
  const it = await site();
  await sync(it);
  for (const path of ['a/1', 'a/7', 'b/1', 'b/7', 'c/1', 'c/7', 'd/1', 'd/7'])
    writeFileSync(join(it.source, path), 'changed');
  await sync(it);
  utimesSync(join(it.source, 'a', '2'), 1, 1);
  writeFileSync(join(it.source, 'new'), 'new');
  const plan = await planned(it, { count: 2 }, CHANGES);
  await workedAll(it, plan);
  const store = fileStore(it.base);
  const { signal } = new AbortController();
  const record = await readParsedRecord(store, { datasetId: 'd', version: 2 });
  expect(record).toMatchObject({ document: { listing: 'delta' } });
  await compactVersion(store, record, signal);

  expect(await committed(it, plan.uploadId)).toMatchObject({ version: 3, isAlready: false });
  await expectWhole(it as never, plan.uploadId);
  expect(await run(it, 'verify', `file://${it.base}`, '--deep')).toMatchObject({ status: 0 });
});

test('damaged changes are told from those of the plan', async () => {
  const it = await site();
  await sync(it);
  utimesSync(join(it.source, 'a', '1'), 1, 1);
  rmSync(join(it.source, 'd', '2'));
  const plan = await planned(it, { count: 1 }, CHANGES);
  await workedAll(it, plan);
  const folder = join(it.base, 'uploads', plan.uploadId, 'plan');
  const name = readdirSync(folder).find((one) => one.startsWith('changes-')) ?? '';
  const bytes = readFileSync(join(folder, name));
  expect(name).toContain(createHash('sha256').update(bytes).digest('hex').slice(0, 8));
  writeFileSync(join(folder, name), bytes.subarray(0, -1));

  await expect(committed(it, plan.uploadId)).rejects.toMatchObject({ code: 'integrity' });
});

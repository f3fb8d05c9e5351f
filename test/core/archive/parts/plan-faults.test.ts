// Attempts that die, objects that are lost or marked, answers that are lost, and stores that cannot create a key only once.
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { listVersions } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectInfo, WholeStore } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { expectWhole } from '../resume/interrupted.js';
import { committed, notes, planned, planSite, worked, workedAll, type PlanSite } from './plan-runs.js';

const { signal } = new AbortController();

async function small(): Promise<PlanSite> {
  const site = await planSite();
  for (const folder of ['a', 'b', 'c', 'd']) {
    mkdirSync(join(site.source, folder));
    for (let n = 0; n < 6; n++) writeFileSync(join(site.source, folder, `${n}`), `${folder}${n}`.repeat(500));
  }
  return site;
}

const uploads = ({ base }: PlanSite): string => join(base, 'uploads');

/** A chunk in the folder of an attempt. */
function chunkIn(site: PlanSite, attempt: string): string {
  const names = readdirSync(join(uploads(site), attempt), { recursive: true, encoding: 'utf8' });
  return join(uploads(site), attempt, names.find((name) => name.endsWith('.tar.zst')) ?? '');
}

async function objectsOf(site: PlanSite, attempt: string): Promise<ObjectInfo[]> {
  const objects: ObjectInfo[] = [];
  for await (const page of fileStore(site.base).list({ prefix: `uploads/${attempt}/` })) objects.push(...page.objects);
  return objects;
}

describe.each([
  ['lost', (site: PlanSite, attempt: string) => Promise.resolve(rmSync(chunkIn(site, attempt)))],
  ['cut off', (site: PlanSite, attempt: string) => Promise.resolve(writeFileSync(chunkIn(site, attempt), 'cut'))],
  [
    'marked',
    async (site: PlanSite, attempt: string) => {
      const objects = await objectsOf(site, attempt);
      await writeMark(fileStore(site.base), { uploadId: asUploadId(attempt), reason: 'abandoned', objects }, signal);
    },
  ],
] as const)('a part whose chunk was %s', (_how, spoil) => {
  test('is missing to the commit, and can be done again', async () => {
    const site = await small();
    const plan = await planned(site, { count: 3 });
    const [, second] = await workedAll(site, plan);
    await spoil(site, second?.attempt ?? '');

    const refused = await committed(site, plan.uploadId);
    const again = await worked(site, plan.uploadId, 1);
    const version = await committed(site, plan.uploadId);

    expect(refused).toMatchObject({ missing: [1] });
    expect(notes(site).join('\n')).toContain(`the result of part 1 by ${second?.attempt ?? ''} counts for nothing`);
    expect(again.outcome).toBe('stored');
    expect(version).toMatchObject({ version: 1 });
    await expectWhole(site as never, plan.uploadId);
  });
});

/** A store whose PUT of a key like this one ends as `fail` says, the first time. */
function failing(
  pattern: RegExp,
  fail: (put: () => Promise<unknown>) => Promise<never>,
): NonNullable<PlanSite['wrap']> {
  let hasFailed = false;
  return (store: WholeStore) => ({
    put: async (key, body, options) => {
      const put = async () => await store.put(key, body, options);
      if (hasFailed || !pattern.test(key)) return await put();
      hasFailed = true;
      return await fail(put);
    },
  });
}

test.each([/shard-.*chunk/, /manifest\/000001/, /parts\/000001/])(
  'an attempt that dies at %s leaves nothing that counts, and the commit marks it',
  async (pattern) => {
    const site = await small();
    const plan = await planned(site, { count: 3 });
    const dying = {
      ...site,
      wrap: failing(pattern, () => Promise.reject(new StoreError('store', 'the connection was reset'))),
    };

    await expect(worked(dying, plan.uploadId, 1)).rejects.toThrow('the connection was reset');
    const [left = ''] = readdirSync(uploads(site)).filter((name) => name !== plan.uploadId);
    const before = await committed(site, plan.uploadId);
    await workedAll(site, plan);
    const version = await committed(site, plan.uploadId);

    expect(before).toMatchObject({ missing: [0, 1, 2] });
    expect(version).toMatchObject({ version: 1 });
    expect((await objectsOf(site, left)).map(({ key }) => key)).toContainEqual(expect.stringMatching(/\/sweep-/));
    await expectWhole(site as never, plan.uploadId);
  },
);

test('the lost answer to a result is known as its own, and that to a manifest, too', async () => {
  const site = await small();
  const plan = await planned(site, { count: 2 });
  const lost = async (put: () => Promise<unknown>): Promise<never> => {
    await put();
    throw new StoreError('conflict', 'it is there', { afterRetry: true });
  };

  const first = await worked({ ...site, wrap: failing(/parts\/000000/, lost) }, plan.uploadId, 0);
  await worked(site, plan.uploadId, 1);
  const version = await committed({ ...site, wrap: failing(/manifest\.json\.gz|v00000001/, lost) }, plan.uploadId);

  expect(first.outcome).toBe('stored');
  expect(version).toMatchObject({ version: 1, isAlready: false });
});

test('two commits at once make one version', async () => {
  const site = await small();
  const plan = await planned(site, { count: 2 });
  await workedAll(site, plan);

  const both = await Promise.all([committed(site, plan.uploadId), committed(site, plan.uploadId)]);

  expect(both).toMatchObject([{ version: 1 }, { version: 1 }]);
  expect(await listVersions(fileStore(site.base), 'd', signal)).toHaveLength(1);
});

test('on a store that cannot create a key only once, of two commits at once one lets go, and an hour later the way is free', async () => {
  const site = { ...(await small()), isPlain: true };
  const plan = await planned(site, { count: 2 });
  await workedAll(site, plan);
  const folder = join(uploads(site), plan.uploadId);
  writeFileSync(join(folder, 'commit-00000000.json'), '{}');

  await expect(committed(site, plan.uploadId)).rejects.toMatchObject({ code: 'conflict' });
  expect(await listVersions(fileStore(site.base), 'd', signal)).toEqual([]);
  const then = Date.now() / 1000 - 3700;
  for (const name of readdirSync(folder)) if (name.startsWith('commit-')) utimesSync(join(folder, name), then, then);
  const later = await committed(site, plan.uploadId);

  expect(later).toMatchObject({ version: 1 });
  await expectWhole(site as never, plan.uploadId);
});

test('on a store that cannot create a key only once, two attempts have a result each, and the lower id counts', async () => {
  const site = { ...(await small()), isPlain: true };
  const plan = await planned(site, { count: 2 });

  const both = await Promise.all([worked(site, plan.uploadId, 0), worked(site, plan.uploadId, 0)]);
  await worked(site, plan.uploadId, 1);
  const names = readdirSync(join(uploads(site), plan.uploadId, 'parts'));
  const version = await committed(site, plan.uploadId);

  const [lower = '', higher = ''] = both.map(({ attempt }) => attempt).toSorted();
  expect(both.map(({ outcome }) => outcome)).toEqual(['stored', 'stored']);
  expect(names).toContain(`000000.${lower}.json`);
  expect(names).toContain(`000000.${higher}.json`);
  expect(version).toMatchObject({ version: 1 });
  for (const attempt of [higher, lower])
    expect((await objectsOf(site, attempt)).some(({ key }) => key.includes('/sweep-'))).toBe(false);
  await expectWhole(site as never, plan.uploadId);
});

test('a list that was tampered with is refused, and so is a result of another plan', async () => {
  const site = await small();
  const [plan, other] = [await planned(site, { count: 2 }), await planned(site, { count: 2 })];
  const lists = join(uploads(site), plan.uploadId, 'plan');
  const [, second = ''] = readdirSync(lists);
  await worked(site, other.uploadId, 0);
  mkdirSync(join(uploads(site), plan.uploadId, 'parts'));
  const result = readFileSync(join(uploads(site), other.uploadId, 'parts', '000000.json'));
  writeFileSync(join(uploads(site), plan.uploadId, 'parts', '000000.json'), result);
  writeFileSync(join(lists, second), readFileSync(join(uploads(site), other.uploadId, 'plan.json.gz')));

  await expect(worked(site, plan.uploadId, 1)).rejects.toMatchObject({ code: 'integrity' });
  expect(await committed(site, plan.uploadId)).toMatchObject({ missing: [0, 1] });
  expect(notes(site)).toContainEqual(expect.stringContaining('is that of another plan: it counts for nothing'));
});

test('a plan of a newer archiver is refused', async () => {
  const site = await small();
  const plan = await planned(site, { count: 2 });
  const newer = { requires: ['windows'] };
  const { gunzipSync, gzipSync } = await import('node:zlib');
  const path = join(uploads(site), plan.uploadId, 'plan.json.gz');
  const document = JSON.parse(gunzipSync(readFileSync(path)).toString()) as object;
  writeFileSync(path, gzipSync(JSON.stringify({ ...document, ...newer })));

  await expect(worked(site, plan.uploadId, 0)).rejects.toThrow("needs a newer archiver: it uses 'windows'");
});

// The plans of a folder store as the dashboard looks for them, by the requests that it sends.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { idAt } from '../../../../src/core/archive/parts/attempts.js';
import { LivingPlans, type SeenPlans } from '../../../../src/core/archive/parts/living-plans.js';
import { stateCounts } from '../../../../src/core/archive/parts/plan-status.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { committed, planned, type PlanSite, planSite, worked, workedAll } from './plan-runs.js';

const { signal } = new AbortController();
const HOUR = 3_600_000;
let site: PlanSite;
let requests: string[] = [];

beforeEach(async () => {
  site = await planSite();
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(site.source, name), name.repeat(4000));
});

/** The store, which notes what it is asked; `bend` changes it. */
function living(bend: (store: ObjectStore) => Partial<ObjectStore> = () => ({})): LivingPlans {
  const store = fileStore(site.base);
  const bent = { ...store, ...bend(store) };
  requests = [];
  return new LivingPlans({
    ...bent,
    head(key, stop) {
      requests.push(`head ${key}`);
      return bent.head(key, stop);
    },
    get(key, options) {
      requests.push(`get ${key}`);
      return bent.get(key, options);
    },
    list(options) {
      requests.push(`list ${options?.prefix ?? ''}`);
      return bent.list(options);
    },
  });
}

async function look(plans: LivingPlans, now = new Date()): Promise<SeenPlans> {
  requests.length = 0;
  return await plans.look({ now: () => now, onPart: () => undefined, signal });
}

const counts = ({ plans }: SeenPlans): readonly object[] =>
  plans.map((one) => (one.problem === null ? stateCounts(one.status) : [one.problem]));
const sent = (kind: string): readonly string[] => requests.filter((request) => request.startsWith(kind));

/** Puts something that is no plan into the folder of an upload that began then. */
function putOther(ms: number): void {
  const folder = join(site.base, 'uploads', idAt(ms));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifest.json.gz'), 'x');
}

test('a plan is found with its attempts, and what cannot change is asked once', async () => {
  const { uploadId } = await planned(site);
  await worked(site, uploadId, 1);
  const plans = living();

  const first = await look(plans);
  const firstHeads = sent('head').length;
  await worked(site, uploadId, 2);
  const second = await look(plans);

  expect(first.plans).toMatchObject([{ uploadId, problem: null, status: { bytes: 16_000, isCommitted: false } }]);
  expect(counts(first)).toEqual([
    [
      ['done', 1],
      ['notBegun', 3],
    ],
  ]);
  expect(firstHeads).toBe(2);
  expect(counts(second)).toEqual([
    [
      ['done', 2],
      ['notBegun', 2],
    ],
  ]);
  // Of the plan and the first attempt nothing; the second attempt is a new upload.
  expect(sent('head')).toHaveLength(1);
  expect(sent('get')).toEqual([expect.stringMatching(/attempt\.json$/)]);
  expect(sent('list')).toHaveLength(4);
});

test('nothing is written to a folder that is looked at', async () => {
  await planned(site);
  const plans = living(() => ({ time: () => Promise.reject(new Error('a folder is asked for the time')) }));
  expect((await look(plans)).plans).toHaveLength(1);
});

test('a plan that is a version leaves, and nothing more is asked of it', async () => {
  const plan = await planned(site);
  const plans = living();
  const before = await look(plans);
  await workedAll(site, plan);
  await committed(site, plan.uploadId);

  const after = await look(plans);
  await look(plans, new Date(Date.now() + 2 * HOUR));
  const again = await look(plans, new Date(Date.now() + 2 * HOUR));

  expect([before.plans.length, after.plans.length, again.plans.length]).toEqual([1, 0, 0]);
  expect(requests).toEqual(['list uploads/']);
  expect((await look(living())).plans).toEqual([]);
  // It is asked for its version before anything else.
  expect(sent('list')).toEqual(['list uploads/', expect.stringContaining('datasets/')]);
});

test('an upload that is no plan is asked again only while it is young, or its folder is', async () => {
  await planned(site);
  const now = Date.now();
  putOther(now - 2 * HOUR);
  putOther(now - HOUR / 2);
  const plans = living();
  await look(plans, new Date(now));
  putOther(now - 3 * HOUR);
  await look(plans, new Date(now));

  await look(plans, new Date(now));
  const early = sent('head').length;
  await look(plans, new Date(now + 2 * HOUR));
  await look(plans, new Date(now + 2 * HOUR));

  expect(early).toBe(2);
  expect(sent('head')).toEqual([]);
});

test('uploads of more than eight days ago are not looked at', async () => {
  await planned(site);
  const plans = living();
  expect((await look(plans, new Date(Date.now() + 9 * 24 * HOUR))).plans).toEqual([]);
  expect(sent('head')).toEqual([]);
});

test('of more than 1,000 uploads the newest are asked, and attempts among them say whose they are', async () => {
  const { uploadId } = await planned(site);
  // Listed after the plan, and before its attempt.
  const others = Array.from({ length: 1000 }, (_, index) => idAt(Date.now() - HOUR * 5 - index * 1000)).toSorted();
  const more = (store: ObjectStore): Partial<ObjectStore> => ({
    async *list(options = {}) {
      for await (const page of store.list(options)) {
        const plan = `uploads/${uploadId}/`;
        const prefixes = [
          plan,
          ...others.map((id) => `uploads/${id}/`),
          ...page.prefixes.filter((one) => one !== plan),
        ];
        yield options.delimiter === undefined ? page : { ...page, prefixes };
      }
    },
  });

  const lonely = await look(living(more));
  await worked(site, uploadId, 0);
  const seen = await look(living(more));

  expect([lonely.unasked, lonely.plans]).toEqual([1, []]);
  expect([seen.unasked, seen.plans]).toMatchObject([2, [{ uploadId, problem: null }]]);
  expect(sent('head')).toHaveLength(1000);
});

test('a plan that cannot be read says why, and hides no other', async () => {
  const { uploadId } = await planned(site);
  const { uploadId: broken } = await planned(site);
  writeFileSync(join(site.base, 'uploads', broken, 'plan.json.gz'), 'garbage');

  const { plans } = await look(living());

  expect(plans).toHaveLength(2);
  expect(plans.find((one) => one.uploadId === broken)?.problem).toContain('plan.json.gz');
  expect(plans.find((one) => one.uploadId === uploadId)?.problem).toBeNull();
});

test('a plan that was swept leaves', async () => {
  const { uploadId } = await planned(site);
  await planned(site);
  const plans = living();
  await look(plans);
  rmSync(join(site.base, 'uploads', uploadId), { recursive: true });
  expect((await look(plans)).plans).toHaveLength(1);
});

test('a store that refuses to list is no store without plans', async () => {
  await planned(site);
  const denied = living(() => ({
    // oxlint-disable-next-line require-yield
    async *list() {
      throw await Promise.resolve(new StoreError('access-denied', 'listing is denied'));
    },
  }));
  await expect(look(denied)).rejects.toMatchObject({ code: 'access-denied' });
});

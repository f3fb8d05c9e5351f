// Uploads of this computer and plans of the store in one list.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SeenPlan } from '../../../src/core/archive/parts/living-plans.js';
import { findUploads, type FoundState } from '../../../src/core/archive/resume/state-folder.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import { uploadList } from '../../../src/stores/dashboard/upload-list.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { fillHome, lockUpload, savedId } from '../../support/dashboard-home.js';
import { seenPlan } from '../../support/seen-plan.js';
import { tempFolder } from '../../support/temp-folder.js';
import { NOW } from '../../screens/dashboard/open-dashboard.js';
import { sourceOf } from '../../screens/dashboard/open-store-dashboard.js';

const ID = (minute: number): string => `20251114-10${String(minute).padStart(2, '0')}00-0000000b`;

/** Two uploads of this computer, the older one running. */
async function saved(): Promise<readonly FoundState[]> {
  const home = await tempFolder();
  await fillHome(home, NOW, { uploads: 2 });
  await lockUpload(home, 0, hostname());
  return await findUploads(join(home, 'state'), hostname());
}

async function sourcesOf(uploads: readonly FoundState[], plans: readonly SeenPlan[]): Promise<DashboardSources> {
  const never = sourceOf<never>(new Error('not of this test'));
  const seen = sourceOf({ plans, unasked: 0, requests: 5 });
  const local = sourceOf({ uploads, folder: '/', settledMs: undefined });
  await Promise.all([seen.getState().refresh(), local.getState().refresh()]);
  return {
    spend: never,
    budgets: never,
    hasSharedBudgets: false,
    uploads: local,
    sentOf: () => never,
    store: { inventory: never, fleet: never, plans: seen, analysis: never, retryInventory: () => undefined },
  };
}

const plansOfDay = async (): Promise<readonly SeenPlan[]> => [
  ...(await Promise.all([
    seenPlan({
      uploadId: ID(1),
      states: [
        ['done', 3],
        ['running', 1],
      ],
    }),
    seenPlan({
      uploadId: ID(2),
      states: [
        ['dead', 2],
        ['notBegun', 1],
      ],
      source: '/aaa',
      hosts: 9,
    }),
    seenPlan({ uploadId: ID(3), states: [['done', 2]] }),
  ])),
  { uploadId: asUploadId(ID(4)), problem: 'it is damaged' },
];

test('what runs comes first, of both kinds, and then the newest; other orders and the filter take both kinds, too', async () => {
  const sources = await sourcesOf(await saved(), await plansOfDay());
  const ids = (sort: number, filter = ''): readonly string[] =>
    uploadList.rows(sources, { filter, sort }).map(({ id }) => id);

  expect(ids(0)).toEqual([ID(1), savedId(0), ID(4), ID(3), ID(2), savedId(1)]);
  expect(ids(1)).toEqual([ID(4), ID(3), ID(2), ID(1), savedId(1), savedId(0)]);
  expect(ids(2)[0]).toBe(ID(2));
  expect(ids(3).slice(0, 2)).toEqual([ID(3), ID(1)]);
  expect(ids(0, 'running')).toEqual([ID(1), savedId(0)]);
  expect(ids(0, 'DEAD')).toEqual([ID(2)]);
  expect(ids(0, 'plan')).toHaveLength(4);
  expect(ids(0, 'damaged')).toEqual([ID(4)]);
  expect(ids(1, 'node-1')).toEqual([ID(3), ID(2), ID(1)]);
  expect(uploadList.total(sources)).toBe(6);
});

test('the rows are the same while nothing changes', async () => {
  const sources = await sourcesOf(await saved(), await plansOfDay());
  const all = { filter: '', sort: 0 };
  expect(uploadList.rows(sources, all)).toBe(uploadList.rows(sources, all));
});

// Plans of a store beside the uploads of this computer.
import { describe, expect, test } from 'vitest';
import type { SeenPlan } from '../../../src/core/archive/parts/living-plans.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import type { PlansRead } from '../../../src/stores/dashboard/store-sources.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { fillHome } from '../../support/dashboard-home.js';
import { seenPlan } from '../../support/seen-plan.js';
import { tempFolder } from '../../support/temp-folder.js';
import { sourcesIn } from './open-dashboard.js';
import { openStoreDashboard, sourceOf, type StoreDashboard } from './open-store-dashboard.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
] as const;
const BASE = 's3://acme-archive/lab/uploads';
const RUNNING = '20251114-083012-0000000b';
const DONE = '20251113-083012-0000000c';

/** One that is being worked on, with something of everything, one that waits for its commit, and one that cannot be read. */
const three = async (): Promise<readonly SeenPlan[]> => [
  await seenPlan({
    uploadId: RUNNING,
    source: '/project/survey/a-folder-with-a-rather-long-name/and-one-below-it/2025',
    states: [
      ['done', 12],
      ['running', 3],
      ['late', 1],
      ['dead', 2],
      ['notBegun', 46],
    ],
  }),
  await seenPlan({ uploadId: DONE, states: [['done', 4]] }),
  { uploadId: asUploadId('20251112-083012-0000000d'), problem: 'the plan uploads/x/plan.json.gz is damaged' },
];

async function opened(plans: PlansRead | Error, uploads = 0): Promise<StoreDashboard> {
  const home = await tempFolder();
  await fillHome(home, new Date('2025-11-14T12:04:31Z'), { uploads });
  const local = sourcesIn(home);
  const shown = openStoreDashboard('uploads', { plans: sourceOf(plans) }, local);
  await shown.refresh();
  return shown;
}
const read = (plans: readonly SeenPlan[], unasked = 0): PlansRead => ({ plans, unasked, requests: 5 });
const told = (frame: readonly string[]): string => frame.join(' ').replaceAll(/ +/g, ' ');

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  const whole = (frame: readonly string[]): void => {
    expect(frame).toHaveLength(rows - 1);
    for (const line of frame) expect(line.length).toBeLessThanOrEqual(columns);
  };

  test('plans are rows as uploads are, with the facts of the one under the cursor', async () => {
    const shown = await opened(read(await three()), 1);
    const frame = shown.frame(columns, rows);
    whole(frame);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/uploads-plans-${columns}x${rows}.txt`);
    shown.press('\r');
    const details = shown.frame(columns, rows);
    whole(details);
    await expect(`${details.join('\n')}\n`).toMatchFileSnapshot(`golden/uploads-plan-details-${columns}x${rows}.txt`);
  });

  test('where the store cannot be listed, uploads of this computer are shown, and the reason', async () => {
    const frame = (await opened(new StoreError('access-denied', 'listing is denied'), 2)).frame(columns, rows);
    whole(frame);
    expect(told(frame)).toContain('listing is denied');
    expect(frame.filter((line) => line.includes('interrupted'))).toHaveLength(2);
    expect(frame.at(-2)).toMatch(/plans: cannot be read since 12:04, never read/);
  });
});

test('a plan says its parts as plan status does, who works on it, and what to type', async () => {
  const shown = await opened(read(await three()));
  const text = told(shown.frame(120, 40));
  expect(text).toContain('parts 12 of 64 done, 3 running, 1 late, 2 dead, 46 not begun');
  expect(text).toContain(`next archiver work ${BASE}/${RUNNING} --part 16-63`);
  expect(text).toContain('rate 1.0 GiB/s, the rest in about 55m28s');
  expect(text).toContain('running on node-0, node-1');
  expect(text).toContain(`archiver plan status ${BASE}/${RUNNING}`);
  shown.press('j');
  expect(told(shown.frame(120, 40))).toContain(`next archiver commit ${BASE}/${DONE}`);
  shown.press('j');
  expect(told(shown.frame(120, 40))).toContain('problem the plan uploads/x/plan.json.gz is damaged');
});

test('a plan cannot be browsed, and says why', async () => {
  const shown = await opened(read(await three()));
  shown.press('b');
  expect(shown.frame(120, 40).at(-2)).toContain('archiver commit makes it when all parts are done');
  shown.press('jb');
  expect(shown.frame(120, 40).at(-2)).toMatch(/it has no manifest yet: archiver commit makes it +/);
  expect(shown.dashboard.store.getState().wish).toBeUndefined();
});

test('the cursor stays on its plan when another row comes, and a filter finds plans by their state', async () => {
  const plans = await three();
  const shown = await opened(read(plans));
  shown.press('j/not beg');
  expect(shown.frame(80, 24).at(-2)).toMatch(/0 of 0, 3 in all$/);
  shown.press('\u0015done\r');
  expect(shown.frame(80, 24).join('\n')).toContain(`▸${DONE}`);
});

test('the line says how many plans there are and when that was read, or that older uploads were not asked', async () => {
  expect((await opened(read(await three()))).frame(120, 40).at(-2)).toMatch(/0 uploads running · 3 plans at 12:04:31/);
  const many = await opened(read([], 1234));
  expect(many.frame(80, 24).at(-2)).toBe(' ▲ 0 uploads running · 0 plans at 12:04:31, 1 234 older uploads not asked');
  expect(told(many.frame(80, 24))).toContain('a plan that nobody works on may be among them');
});

test('without rows it says that there is no plan only where that is known', async () => {
  expect(told((await opened(read([]))).frame(80, 24))).toContain(
    'No plan of the last eight days waits in s3://acme-archive/lab.',
  );
  const denied = told((await opened(new StoreError('access-denied', 'listing is denied'))).frame(80, 24));
  expect(denied).toContain('The plans of s3://acme-archive/lab are not known.');
  expect(denied).not.toContain('No plan');
});

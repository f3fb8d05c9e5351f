import { describe, expect, test } from 'vitest';
import type { Analysis, AnalysisResult } from '../../../src/stores/dashboard/analysis.js';
import { createSource } from '../../../src/stores/dashboard/source.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { NOW } from './open-dashboard.js';
import { openStoreDashboard, type StoreDashboard } from './open-store-dashboard.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

const TIB = 2 ** 40;
const RESULT: AnalysisResult = {
  objects: 148_512,
  bytes: 9.1 * TIB,
  monthlyUsd: 163.28,
  classes: [
    {
      storageClass: 'STANDARD',
      objects: 120_004,
      bytes: 5.2 * TIB,
      monthlyUsd: 122.47,
      better: 'GLACIER_IR',
      savedUsd: 101.17,
    },
    {
      storageClass: 'STANDARD_IA',
      objects: 18_500,
      bytes: 2.9 * TIB,
      monthlyUsd: 37.12,
      better: 'DEEP_ARCHIVE',
      savedUsd: 34.18,
    },
    { storageClass: 'GLACIER', objects: 10_008, bytes: TIB, monthlyUsd: 3.69, better: null, savedUsd: 0 },
  ],
  pricesText: 'prices: AWS list prices of 2026-11-20 for us-west-2',
  facts: [
    { label: 'older', value: '3 older versions, 1.0 GiB, $0.02 a month; 0 delete markers' },
    { label: 'advice', value: 'objects of 128 KiB and more to DEEP_ARCHIVE, for what is hardly ever read' },
  ],
  isFolder: false,
  endedAt: new Date('2026-03-04T12:01:00Z'),
  durationMs: 41_000,
};

type Step = Analysis | Error | 'wait';

/** A scan of so many objects that waits until `end` is called, or is given up. */
function scanner(steps: Step[]) {
  const scans: { readonly end: () => void; readonly signal: AbortSignal }[] = [];
  const analysis = createSource<Analysis>({
    now: () => NOW,
    async read(signal, before, show) {
      const scan = { pages: 12, objects: 12_000, bytes: TIB, elapsedMs: 4000 };
      show({ scan, result: before?.result });
      await new Promise<void>((end) => scans.push({ end, signal }));
      const step = steps.shift();
      if (step instanceof Error) throw step;
      return step === undefined || step === 'wait' ? { scan: undefined, result: RESULT } : step;
    },
  });
  return { analysis, scans };
}

const turn = (): Promise<void> => new Promise((done) => void setImmediate(done));

async function opened(steps: Step[] = []): Promise<StoreDashboard & ReturnType<typeof scanner>> {
  const made = scanner(steps);
  const shown = openStoreDashboard('analyze', { analysis: made.analysis });
  await shown.refresh();
  return { ...shown, ...made };
}

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  test.each([
    ['idle', ''],
    ['scanning', 'a'],
    ['done', 'a!'],
  ])('draws %s', async (name, acts) => {
    const { press, scans, frame } = await opened();
    for (const act of acts) {
      if (act === '!') scans.at(-1)?.end();
      else press(act);
      await turn();
    }

    const drawn = frame(columns, rows);

    expect(drawn).toHaveLength(rows - 1);
    for (const line of drawn) expect(line.length).toBeLessThanOrEqual(columns);
    await expect(`${drawn.join('\n')}\n`).toMatchFileSnapshot(`golden/analyze-${name}-${columns}x${rows}.txt`);
  });
});

test('nothing is scanned until a is pressed, whatever else is', async () => {
  const { press, scans } = await opened();
  press('R?qx654321\t');
  await turn();
  expect(scans).toHaveLength(0);
});

test('a, and then esc or a again: the scan is given up, and what was found before stays', async () => {
  const { press, scans, frame, dashboard } = await opened();
  press('a');
  await turn();
  dashboard.store.getState().do.show('inventory');
  dashboard.store.getState().do.show('analyze');
  expect(frame(80, 24).join('\n')).toContain('12 pages, 12 000 objects, 1.0 TiB in 4s, 3 000 objects/s');
  press('a');
  expect(scans[0]?.signal.aborted).toBe(true);
  expect(frame(80, 24).join('\n')).toContain('The scan was given up after 12 000 objects.');

  press('a');
  await turn();
  scans[1]?.end();
  await turn();
  press('a');
  await turn();
  press('a');
  expect(scans[2]?.signal.aborted).toBe(true);
  const last = frame(80, 24);
  expect(last.join('\n')).toContain('Scanned 148 512 objects');
  expect(last.at(-2)).toContain('the last scan was given up');
});

test('a scan that fails says why, and what was found before stays', async () => {
  const { press, scans, frame } = await opened(['wait', new StoreError('access-denied', 'listing is denied')]);
  for (const at of [0, 1]) {
    press('a');
    await turn();
    scans[at]?.end();
    await turn();
  }
  const text = frame(80, 24).join('\n');
  expect(text).toContain('The scan failed: listing is denied');
  expect(text).toContain('Scanned 148 512 objects');
});

test('amounts that nobody knows are unknown, and never zero', async () => {
  const result = {
    ...RESULT,
    monthlyUsd: null,
    pricesText: 'prices: not known: costControl.provider says whose they are',
    classes: RESULT.classes.map((one) => ({ ...one, monthlyUsd: null, better: null, savedUsd: null })),
  };
  const { press, scans, frame } = await opened([{ scan: undefined, result }]);
  press('a');
  await turn();
  scans[0]?.end();
  await turn();
  const rows = frame(120, 40);
  expect(rows.find((line) => line.includes('STANDARD_IA'))).toMatch(/unknown +unknown +unknown$/);
  expect(rows.find((line) => line.includes('total'))).toMatch(/unknown +unknown$/);
  expect(rows.at(-2)).toContain('prices: not known');
});

test('the key line follows a scan that begins and one that ends', async () => {
  const { press, scans, shown } = await opened();
  expect(await shown()).toMatch(/ a scan {2}tab/);
  press('a');
  await turn();
  expect(await shown()).toMatch(/ esc give up {2}tab/);
  scans[0]?.end();
  await turn();
  expect(await shown()).toMatch(/ a scan again {2}tab/);
});

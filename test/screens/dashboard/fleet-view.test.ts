import { describe, expect, test } from 'vitest';
import type { Heartbeat } from '../../../src/core/fleet/heartbeat.js';
import {
  type Condition,
  CONDITIONS,
  needsAttention,
  judgeWriter,
  type WriterStatus,
} from '../../../src/core/fleet/watch/judge.js';
import type { FleetStatus } from '../../../src/core/fleet/watch/watch-fleet.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { heartbeat, heartbeatSource } from '../../support/heartbeat.js';
import { openStoreDashboard, sourceOf, type StoreDashboard } from './open-store-dashboard.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

/** The heartbeats of tests are put at 05:00. */
const LOOKED_AT = new Date('2026-03-04T05:04:00Z');

function writer(
  writerId: string,
  change: Partial<Heartbeat> = {},
  { putAt = '2026-03-04T05:00:00Z', isCloned = false } = {},
): WriterStatus {
  const sent = heartbeat(writerId, change);
  const seen = { kind: 'read', heartbeat: sent, putAt: new Date(putAt) } as const;
  const recordedAt = new Date('2026-03-04T05:00:00Z');
  const dataset = {
    datasetId: 'data-1a2b3c4d',
    version: 7,
    storedAt: recordedAt,
    storedEveryMs: null,
    recordTimes: new Map([[7, recordedAt]]),
  };
  const stored = { kind: 'seen', datasets: [dataset], isWhole: true } as const;
  return judgeWriter(
    { writerId, seen, config: undefined, stored },
    { now: LOOKED_AT, thresholdMs: 7_200_000, isCloned },
  );
}

const failing = (writerId: string): WriterStatus =>
  writer(writerId, {
    cycle: { startedAt: '2026-03-04T04:59:00.000Z', endedAt: '2026-03-04T05:00:00.000Z', isHealthy: false },
    sources: [
      heartbeatSource({ path: '/data/seq7/bam', added: 12, modified: 3 }),
      heartbeatSource({
        path: '/data/seq7/raw',
        isHealthy: false,
        error: 'permission denied (EACCES)',
        lastSuccessAt: '2026-03-04T03:00:00.000Z',
      }),
    ],
  });

const early = {
  checkedInAt: '2026-03-04T01:52:00.000Z',
  lastSuccessAt: null,
  cycle: { startedAt: '2026-03-04T01:50:00.000Z', endedAt: '2026-03-04T01:52:00.000Z', isHealthy: true },
};
const stale = (): WriterStatus => writer('lab-nas-02', early, { putAt: '2026-03-04T01:52:00Z' });
const missing = (): WriterStatus =>
  judgeWriter(
    {
      writerId: 'lab-nas-09',
      seen: { kind: 'none' },
      config: { etag: 'x', putAt: new Date('2026-03-04T01:00:00Z'), version: undefined },
    },
    { now: LOOKED_AT, thresholdMs: 7_200_000, isCloned: false },
  );

function fleetOf(writers: readonly WriterStatus[], notes: readonly string[] = []): FleetStatus {
  const counts = Object.fromEntries(
    CONDITIONS.map((word) => [word, writers.filter(({ condition }) => condition === word).length]),
  ) as Record<Condition, number>;
  const troubledCount = writers.filter(needsAttention).length;
  return { location: 's3://acme-archive/lab', lookedAt: LOOKED_AT, writers, counts, troubledCount, others: [], notes };
}

async function opened(status: FleetStatus | null | Error): Promise<StoreDashboard> {
  const fleet = sourceOf(status instanceof Error ? status : { status });
  const shown = openStoreDashboard('fleet', { fleet });
  await shown.refresh();
  return shown;
}

const mixed = (): FleetStatus =>
  fleetOf([
    missing(),
    stale(),
    failing('seq-bench-7'),
    writer('lab-nas-03', {}, { isCloned: true }),
    writer('lab-nas-04', { checkedInAt: '2026-03-04T09:00:00.000Z' }),
    writer('lab-nas-01'),
  ]);

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  test('writers with their signs, and the sources of the one under the cursor', async () => {
    const shown = await opened(mixed());
    shown.press('jj');

    const frame = shown.frame(columns, rows);

    expect(frame).toHaveLength(rows - 1);
    for (const line of frame) expect(line.length).toBeLessThanOrEqual(columns);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/fleet-${columns}x${rows}.txt`);
  });

  test('details of a writer', async () => {
    const shown = await opened(mixed());
    shown.press('jj\r');

    const frame = shown.frame(columns, rows);

    for (const line of frame) expect(line.length).toBeLessThanOrEqual(columns);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/fleet-details-${columns}x${rows}.txt`);
  });

  test.each([
    ['no fleet', null, 'No writer has a place at'],
    ['denied', new StoreError('access-denied', 'listing is denied'), 'listing is denied'],
  ] as const)('%s is said in a sentence', async (_name, status, words) => {
    const frame = (await opened(status)).frame(columns, rows);
    expect(frame).toHaveLength(rows - 1);
    expect(frame.map((line) => line.trim()).join(' ')).toContain(words);
  });
});

test('what is wrong is said in the row, without colours too', async () => {
  const frame = (await opened(mixed())).frame(200, 50).join('\n');

  expect(frame).toMatch(/▲ +lab-nas-09 +never .*missing: it has never checked in/);
  expect(frame).toMatch(/▲ +lab-nas-02 +3h 12m ago .*stale: it checked in 3h 12m ago, and 2h are allowed/);
  expect(frame).toMatch(/✗ +seq-bench-7 .*failing: source \/data\/seq7\/raw failed: permission denied/);
  expect(frame).toMatch(/▲ *lab-nas-03 .*warning: two instances of it take turns/);
  expect(frame).toMatch(/\? +lab-nas-04 .*unknown: its clock is 4h ahead of the store's/);
  expect(frame).toContain(
    '▲ 6 writers · 1 missing · 1 stale · 1 unknown · 1 failing · 1 warning · 1 healthy · config 0 of 1 · seen 05:04:00',
  );
});

test('10,000 writers: the last one, a filter, an order', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) =>
    (at === 9 ? failing : writer)(`writer-${String(at).padStart(5, '0')}`),
  );
  const shown = await opened(fleetOf(many));
  shown.press('G');
  expect(shown.frame(80, 24).join('\n')).toContain('writer-09999');
  expect(shown.frame(80, 24).at(-2)).toMatch(/10 000 of 10 000$/);
  shown.press('/seq7\r');
  expect(shown.frame(80, 24).at(-2)).toContain('1 of 1, 10 000 in all');
});

test('what could not be found out is said', async () => {
  const shown = await opened(fleetOf([writer('a')], ['which writers have a config is not known']));
  expect(shown.frame(120, 40).at(-2)).toContain('which writers have a config is not known');
});

test('ASCII is enough, and names cannot act on the terminal', async () => {
  const shown = await opened(fleetOf([writer('evil\u001b[31m')]));
  const frame = shown.frame(120, 40, { unicode: false, color: false }).join('');
  expect(frame).toMatch(/^[\x20-\x7e]*$/);
  expect(frame).toContain('evil\\x1b[31m');
});

test('the overview leads with what needs attention, and has the fleet at every size', async () => {
  const status = fleetOf([stale(), ...Array.from({ length: 50 }, (_, at) => writer(`web-${at + 10}`))]);
  const shown = openStoreDashboard('overview', { fleet: sourceOf({ status }) });
  await shown.dashboard.sources.store?.fleet.getState().refresh();

  const frame = shown.frame(120, 40);
  const at = frame.findIndex((line) => line.startsWith(' FLEET'));
  expect(frame[3]).toMatch(/^ ▲ lab-nas-02 stale: it checked in 3h 12m ago, and 2h are allowed +press 6$/);
  expect(frame[at + 1]).toMatch(/▲ +lab-nas-02 +3h 12m ago +ok +1\/1 ok +v3 +stale: it checked in/);
  expect(frame[at + 2]).toMatch(/● +web-10 +4m ago +ok +1\/1 ok +v3 +healthy$/);
  expect(frame[at]).toMatch(/51 writers · 1 stale · 50 healthy$/);
  for (const [columns, rows] of SIZES)
    expect(shown.frame(columns, rows).join('\n')).toMatch(/FLEET +51 writers · 1 stale · 50 healthy/);
});

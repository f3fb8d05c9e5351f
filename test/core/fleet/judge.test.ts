import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../../src/core/fleet/heartbeat.js';
import { judgeWriter, type WriterStatus } from '../../../src/core/fleet/watch/judge.js';
import type { SeenConfig, SeenStore, StoredDataset } from '../../../src/core/fleet/watch/observation.js';
import { heartbeat, heartbeatSource } from '../../support/heartbeat.js';

const HOUR = 3_600_000;
const at = (hours: number): Date => new Date(Date.parse('2026-03-04T00:00:00Z') + hours * HOUR);

interface Seen {
  readonly change?: Partial<Heartbeat>;
  /** By the store, in hours of the day; the heartbeat says 05:00. */
  readonly putAt?: number;
  readonly now?: number;
  readonly thresholdMs?: number;
  readonly isCloned?: boolean;
  readonly config?: SeenConfig;
  readonly stored?: SeenStore;
}

const judged = ({
  change = {},
  putAt = 5,
  now = 6,
  thresholdMs = 2 * HOUR,
  isCloned = false,
  config,
  stored,
}: Seen): WriterStatus =>
  judgeWriter(
    {
      writerId: 'web-01',
      seen: { kind: 'read', heartbeat: heartbeat('web-01', change), putAt: at(putAt) },
      config,
      stored,
    },
    { now: at(now), thresholdMs, isCloned },
  );

describe('freshness', () => {
  it('goes by the clock of the store, and ends with the threshold', () => {
    expect(judged({ now: 7 })).toMatchObject({
      freshness: 'fresh',
      condition: 'healthy',
      ageMs: 2 * HOUR,
      troubles: [],
    });
    expect(judged({ now: 7.001 })).toMatchObject({ freshness: 'stale', condition: 'stale', isHealthy: true });
    expect(judged({ now: 7.5 }).troubles).toEqual(['it checked in 2h 30m ago, and 2h are allowed']);
  });

  it('allows the cadence and a quarter of it, six hours at most, where that is longer than the threshold', () => {
    const every = (days: number): Partial<Heartbeat> => ({ intervalSeconds: days * 86_400 });
    const lastOf = (change: Partial<Heartbeat>): number => judged({ change }).staleAfterMs / HOUR;
    expect(judged({ change: every(1), now: 34.9 })).toMatchObject({ freshness: 'fresh', cadenceFrom: 'heartbeat' });
    expect(judged({ change: every(1), now: 35.1 })).toMatchObject({ freshness: 'stale', cadenceMs: 24 * HOUR });
    expect([{ intervalSeconds: 3600 }, { intervalSeconds: 4 * 3600 }, every(7)].map(lastOf)).toEqual([2, 5, 174]);
  });

  it('believes no interval of a heartbeat that is longer than two weeks, and a config that is its own', () => {
    const config = { etag: 'x', putAt: at(1), version: 3, intervalMs: 30 * 24 * HOUR };
    const change = { intervalSeconds: 10 * 366 * 86_400 };
    expect(judged({ change }).staleAfterMs).toBe((14 * 24 + 6) * HOUR);
    expect(judged({ config })).toMatchObject({ cadenceFrom: 'config', staleAfterMs: (30 * 24 + 6) * HOUR });
    // It has not begun a cycle since this was put.
    expect(judged({ config: { ...config, version: 4 } })).toMatchObject({ cadenceFrom: 'heartbeat', cadenceMs: HOUR });
  });

  it('is told where a machine runs more seldom than its config says', () => {
    const config = { etag: 'x', putAt: at(1), version: 3, intervalMs: HOUR };
    expect(judged({ change: { intervalSeconds: 6 * 3600 }, config })).toMatchObject({
      staleAfterMs: 2 * HOUR,
      troubles: ['it runs every 6h, and its config says every 1h: --interval on its machine'],
    });
  });

  it.each([
    ['an hour behind', 6, 'fresh', -HOUR],
    ['a day behind', 29, 'fresh', -24 * HOUR],
    ['four minutes ahead', 5 - 4 / 60, 'fresh', 4 * 60_000],
    ['an hour ahead', 4, 'unknown', HOUR],
    ['in 2106', -24 * 365 * 80, 'unknown', 365 * 80 * 24 * HOUR + 5 * HOUR],
  ])('a clock that is %s', (_, putAt, freshness, clockSkewMs) => {
    const status = judged({ putAt, now: putAt + 1 });
    expect(status).toMatchObject({ freshness, clockSkewMs, ageMs: HOUR });
    expect(status.troubles.length).toBe(Math.abs(clockSkewMs) > 5 * 60_000 ? 1 : 0);
  });

  it('is unknown where the store dates it later than now, or it speaks of what comes after it', () => {
    const later = '2026-03-04T09:00:00Z';
    expect(judged({ now: 4 })).toMatchObject({
      condition: 'unknown',
      troubles: ['the store dates its heartbeat 1h later than now'],
    });
    expect(judged({ change: { lastSuccessAt: later } })).toMatchObject({ condition: 'unknown' });
    expect(judged({ change: { cycle: { startedAt: later, endedAt: null, isHealthy: true } } })).toMatchObject({
      condition: 'unknown',
    });
  });
});

describe('health', () => {
  it('is that of the latest cycle, of all sources, of which there has to be one', () => {
    const broken = heartbeatSource({ path: '/srv/\u001b[31mx', isHealthy: false, error: 'permission denied' });
    const failed = { ...heartbeat('x').cycle, isHealthy: false };
    expect(judged({ change: { sources: [heartbeatSource(), broken, broken] } })).toMatchObject({
      condition: 'failing',
      isHealthy: false,
      troubles: ['source /srv/\\x1b[31mx failed (and 1 more): permission denied'],
    });
    expect(judged({ change: { sources: [] } }).troubles).toEqual(['its last cycle failed: it has no sources']);
    expect(judged({ change: { cycle: failed } }).troubles).toEqual(['its last cycle failed']);
    expect(judged({ change: { problem: 'the disk is full', cycle: failed } })).toMatchObject({
      condition: 'failing',
      troubles: ['the disk is full'],
    });
    expect(judged({ change: { cycle: { ...failed, isHealthy: null } } })).toMatchObject({
      condition: 'starting',
      isHealthy: null,
      troubles: [],
    });
  });

  it('tells of success apart from the check-in, by the clock of the store', () => {
    expect(judged({ change: { lastSuccessAt: '2026-03-04T03:00:00Z' }, putAt: 6 }).lastSuccessAt).toEqual(at(4));
    expect(judged({ change: { lastSuccessAt: null } }).lastSuccessAt).toBeNull();
  });

  it('cuts what a writer says to what a person reads', () => {
    const [said = ''] = judged({ change: { problem: 'x'.repeat(100_000) } }).troubles;
    expect(said).toHaveLength(301);
  });
});

describe('config', () => {
  const config = (version: number | undefined, hours: number): SeenConfig => ({ etag: 'e', putAt: at(hours), version });

  it('is behind when a cycle began after a newer one was put', () => {
    expect(judged({ config: config(4, 3) })).toMatchObject({
      isConfigBehind: true,
      condition: 'healthy',
      troubles: ['it runs config 3, and 4 lies there for it'],
    });
    // The cycle began at 04:59.
    expect(judged({ config: config(4, 4.99) })).toMatchObject({ isConfigBehind: false, troubles: [] });
    expect(judged({ config: config(3, 3) }).isConfigBehind).toBe(false);
    expect(judged({ config: config(undefined, 3) }).isConfigBehind).toBe(false);
    expect(judged({ config: config(4, 3), change: { configVersion: null } }).isConfigBehind).toBe(false);
  });

  it('that was refused is told, and so are clones', () => {
    expect(judged({ change: { configError: 'the signature is not ours' }, isCloned: true }).troubles).toEqual([
      'two instances of it take turns: the machine was cloned, or two agents have its credentials',
      'it does not take the config that lies there for it: the signature is not ours',
    ]);
  });

  it('that an agent warns of does not make a cycle fail that succeeded', () => {
    const problem = 'delete_after_archive of /data is refused';
    expect(judged({ change: { problem } })).toMatchObject({
      condition: 'healthy',
      isHealthy: true,
      troubles: [problem],
    });
  });

  it('that is missed is told once', () => {
    const reason = 'the config could not be fetched: there is no such object';
    expect(judged({ change: { configError: reason, problem: reason, sources: [] } }).troubles).toEqual([reason]);
  });

  it('without a heartbeat makes a writer missing', () => {
    const missing = judgeWriter(
      { writerId: 'web-01', seen: { kind: 'none' }, config: config(undefined, 3) },
      { now: at(6), thresholdMs: HOUR, isCloned: false },
    );
    expect(missing).toMatchObject({ condition: 'missing', freshness: 'missing', ageMs: null, isHealthy: null });
    expect(missing.troubles).toEqual(['it has never checked in: its config was put 3h ago']);
  });
});

describe('findings', () => {
  const finding = (kind: string, detail: string, source: string | null = '/srv/data') => ({ kind, source, detail });

  it('make a writer fail whose cycles succeed, whatever their kind', () => {
    for (const kind of ['source-empty', 'of a newer agent']) {
      const { condition, isHealthy, troubles } = judged({ change: { findings: [finding(kind, 'it is empty')] } });
      expect([condition, isHealthy, troubles]).toEqual(['failing', false, ['it is empty']]);
    }
    expect(judged({ change: { findings: [] } }).condition).toBe('healthy');
  });

  it('are told five at most, cleaned and shortened', () => {
    const many = Array.from({ length: 7 }, (_, at) => finding('held', `${at}\u001b[31m${'x'.repeat(400)}`));
    const { troubles } = judged({ change: { findings: many } });
    expect(troubles).toHaveLength(6);
    expect(troubles[0]).toMatch(/^0\\x1b\[31mx+…$/);
    expect(troubles[5]).toBe('and 2 more findings');
  });

  it('are told alone of a source that failed for them', () => {
    const sources = [heartbeatSource({ path: '/srv/data', isHealthy: false, error: 'it is empty' })];
    const cycle = { ...heartbeat('web-01').cycle, isHealthy: false };
    const change = {
      sources,
      cycle,
      problem: '/srv/data: it is empty',
      findings: [finding('source-empty', 'it is empty, and held 5 files')],
    };
    expect(judged({ change }).troubles).toEqual(['it is empty, and held 5 files']);
    expect(judged({ change: { ...change, findings: [] } }).troubles).toEqual(['source /srv/data failed: it is empty']);
  });

  it('tell a refused config once', () => {
    const change = { configError: 'it is older', findings: [finding('config-refused', 'config is older', null)] };
    expect(judged({ change }).troubles).toEqual(['config is older']);
  });
});

describe('what the store shows', () => {
  const dataset = (change: Partial<StoredDataset> = {}): StoredDataset => ({
    datasetId: 'data-1a2b3c4d',
    version: 7,
    storedAt: at(5),
    storedEveryMs: null,
    recordTimes: new Map([[7, at(5)]]),
    ...change,
  });
  const stored = (...datasets: readonly StoredDataset[]): SeenStore => ({ kind: 'seen', datasets, isWhole: true });

  it('is beside each source, and healthy where it agrees', () => {
    expect(judged({ stored: stored(dataset()) })).toMatchObject({
      condition: 'healthy',
      storedAt: at(5),
      sources: [{ storedVersion: 7, storedAt: at(5), lastSuccessAt: at(5), isStale: false }],
      troubles: [],
    });
  });

  it.each([
    ['a dataset that is not there', stored(), /is v7 of data-1a2b3c4d, and there is no version of that$/],
    [
      'a version that is later than the newest',
      stored(dataset({ version: 6, storedAt: at(3), recordTimes: new Map([[6, at(3)]]) })),
      /is v7 of data-1a2b3c4d, and the newest there is v6, of 3h ago$/,
    ],
    [
      'a success later than the record of its version',
      stored(dataset({ recordTimes: new Map([[7, at(2)]]) })),
      /is v7 of data-1a2b3c4d, made 1h ago, and its record is of 4h ago$/,
    ],
    [
      'what cannot be listed',
      { kind: 'unseen', reason: 'denied' } as const,
      /^what it has stored cannot be seen: denied/,
    ],
  ])('is less than the heartbeat says: %s', (_, less, sentence) => {
    expect(judged({ stored: less })).toMatchObject({
      condition: 'unknown',
      freshness: 'unknown',
      troubles: [expect.stringMatching(sentence)],
    });
  });

  it('is enough where a cycle had nothing to archive, or the version was retired', () => {
    const old = dataset({ version: 7, storedAt: at(-90), recordTimes: new Map([[7, at(-90)]]) });
    const change = { sources: [heartbeatSource({ noChanges: true })] };
    expect(judged({ change, stored: stored(old) })).toMatchObject({ condition: 'healthy', troubles: [] });
    expect(judged({ stored: stored(dataset({ version: 9 })) }).condition).toBe('healthy');
  });

  it('is less where a source succeeded and names no version', () => {
    const change = { sources: [heartbeatSource({ datasetId: null, version: null })] };
    expect(judged({ change, stored: stored() })).toMatchObject({ condition: 'unknown' });
  });

  it('is not asked for where the config names another store', () => {
    expect(judged({ stored: { kind: 'elsewhere', url: 's3://other' } })).toMatchObject({
      condition: 'healthy',
      storedElsewhere: 's3://other',
    });
  });

  it('leaves a writer stale that is not heard of, and says both', () => {
    expect(judged({ now: 8, stored: stored() })).toMatchObject({
      condition: 'stale',
      troubles: [expect.stringMatching(/^it checked in 3h ago/), expect.stringMatching(/more than the store shows/)],
    });
  });

  it('tells how often a writer stored something whose heartbeat cannot be read', () => {
    const seen = { kind: 'unreadable', reason: 'damaged', putAt: at(5) } as const;
    const often = stored(dataset({ storedEveryMs: 24 * HOUR }));
    const status = judgeWriter(
      { writerId: 'web-01', seen, config: undefined, stored: often },
      { now: at(6), thresholdMs: 2 * HOUR, isCloned: false },
    );
    expect(status).toMatchObject({ cadenceFrom: 'records', cadenceMs: 24 * HOUR, condition: 'unknown' });
    expect(status.troubles).toEqual(['damaged; its newest version came 1h ago']);
  });
});

it('a source that is behind the others of a writer which checks in is told, and one that failed once', () => {
  const late = heartbeatSource({ path: '/srv/late', lastSuccessAt: '2026-03-04T02:00:00Z' });
  expect(judged({ change: { sources: [heartbeatSource(), late] } })).toMatchObject({
    condition: 'healthy',
    sources: [{ isStale: false }, { isStale: true }],
    troubles: ['source /srv/late last succeeded 4h ago, and 2h are allowed'],
  });
  const failed = { ...late, isHealthy: false, error: 'gone' };
  expect(judged({ change: { sources: [failed] } }).troubles).toEqual(['source /srv/late failed: gone']);
});

import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../../src/core/fleet/heartbeat.js';
import { judgeWriter, type WriterStatus } from '../../../src/core/fleet/watch/judge.js';
import type { SeenConfig } from '../../../src/core/fleet/watch/observation.js';
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
}

const judged = ({
  change = {},
  putAt = 5,
  now = 6,
  thresholdMs = 2 * HOUR,
  isCloned = false,
  config,
}: Seen): WriterStatus =>
  judgeWriter(
    { writerId: 'web-01', seen: { kind: 'read', heartbeat: heartbeat('web-01', change), putAt: at(putAt) }, config },
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

  it('allows two intervals where these are longer than the threshold, and two weeks at most', () => {
    expect(judged({ change: { intervalSeconds: 86_400 }, now: 52 })).toMatchObject({
      freshness: 'fresh',
      staleAfterMs: 48 * HOUR,
    });
    expect(judged({ change: { intervalSeconds: 86_400 }, now: 54 })).toMatchObject({ freshness: 'stale' });
    expect(judged({ change: { intervalSeconds: 10 * 366 * 86_400 } }).staleAfterMs).toBe(14 * 24 * HOUR);
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

  it('tell a refused config once', () => {
    const change = { configError: 'it is older', findings: [finding('config-refused', 'config is older', null)] };
    expect(judged({ change }).troubles).toEqual(['config is older']);
  });
});

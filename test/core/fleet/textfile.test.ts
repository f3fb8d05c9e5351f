import { expect, test } from 'vitest';
import { judgeWriter } from '../../../src/core/fleet/watch/judge.js';
import { metricsText } from '../../../src/core/fleet/watch/textfile.js';
import type { FleetStatus } from '../../../src/core/fleet/watch/watch-fleet.js';
import { heartbeat, heartbeatSource } from '../../support/heartbeat.js';

const NAME = /^[a-z_][a-z0-9_]*$/;
const SAMPLE = /^([a-z_][a-z0-9_]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Samples by name and labels, read by the rules of the format. @throws for what breaks one */
function parsed(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  const families = new Set<string>();
  let family = '';
  const check = (isRight: boolean, line: string): void => {
    if (!isRight) throw new Error(`against the rules of the format: ${line}`);
  };
  check(text.endsWith('\n'), 'its last line has no end');
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      check(NAME.test(name) && !families.has(name), line);
      families.add((family = name));
    } else if (kind === 'TYPE') {
      check(name === family && rest === 'gauge', line);
    } else {
      const [, of, labels = '', value] = SAMPLE.exec(line) ?? [];
      check(of === family && !samples.has(`${of}{${labels}}`), line);
      samples.set(`${of}{${labels}}`, Number(value));
    }
  }
  return samples;
}

const at = (moment: string): Date => new Date(`2026-03-04T${moment}Z`);
const options = { now: at('06:00:00'), thresholdMs: 7_200_000, isCloned: false };

test('a fleet as metrics: one family after the other, times in seconds, and nothing for what is not known', () => {
  const sources = [heartbeatSource({ files: 2, bytes: 30 }), heartbeatSource({ files: 3, bytes: 2 ** 52 })];
  const writers = [
    judgeWriter(
      {
        writerId: 'web-01',
        seen: { kind: 'read', heartbeat: heartbeat('web-01', { sources }), putAt: at('05:00:00.500') },
        config: undefined,
      },
      options,
    ),
    judgeWriter({ writerId: 'new-01', seen: { kind: 'none' }, config: undefined }, options),
  ];
  const counts = { healthy: 1, starting: 0, failing: 0, stale: 0, missing: 1, unknown: 0 };
  const location = 'file:///mnt/a "b"\\c\nd';
  const fleet: FleetStatus = {
    location,
    lookedAt: options.now,
    writers,
    counts,
    troubledCount: 1,
    others: [],
    notes: [],
  };

  const samples = parsed(metricsText(fleet, location));

  const where = 'fleet="file:///mnt/a \\"b\\"\\\\c\\nd"';
  const of = (name: string, writer: string): number | undefined =>
    samples.get(`archiver_writer_${name}{${where},writer="${writer}"}`);
  expect(samples.get(`archiver_fleet_up{${where}}`)).toBe(1);
  expect(samples.get(`archiver_fleet_writers{${where},state="missing"}`)).toBe(1);
  expect(of('heartbeat_age_seconds', 'web-01')).toBe(3599.5);
  expect(of('heartbeat_timestamp_seconds', 'web-01')).toBe(at('05:00:00.500').getTime() / 1000);
  expect([of('healthy', 'web-01'), of('healthy', 'new-01')]).toEqual([1, 0]);
  expect([of('files', 'web-01'), of('bytes', 'web-01')]).toEqual([5, 2 ** 52 + 30]);
  expect([of('heartbeat_age_seconds', 'new-01'), of('files', 'new-01')]).toEqual([undefined, undefined]);
});

test('a fleet that cannot be seen is down, and nothing is said of its writers', () => {
  expect([...parsed(metricsText(undefined, 's3://lab'))]).toEqual([['archiver_fleet_up{fleet="s3://lab"}', 0]]);
});

// Locks, rules for failed uploads, and the default retention against what prune always keeps.
import { describe, expect, test } from 'vitest';
import { finding, worstOf } from '../../../src/core/access/finding.js';
import {
  judgeAbortRule,
  judgeObjectLock,
  judgeRetention,
  LOCK_ORDER,
} from '../../../src/core/access/judge-immutability.js';
import { judgeVersioning } from '../../../src/core/access/judge-versioning.js';
import type { KeptVersion } from '../../../src/core/access/kept-versions.js';
import type { DefaultRetention } from '../../../src/core/store/bucket-posture.js';
import type { LifecycleRule } from '../../../src/core/store/bucket-lifecycle.js';

const PLACE = { bucket: 'acme' };

test.each([
  ['Enabled', 'ok'],
  ['Suspended', 'critical'],
  [undefined, 'critical'],
])('versioning %s is %s', (status, severity) => {
  expect(judgeVersioning({ status, mfaDelete: undefined }, PLACE, { severity: 'critical' }).severity).toBe(severity);
});

describe('object lock', () => {
  const on = (retention?: DefaultRetention) => ({ isOn: true, retention });

  test.each<[string, Parameters<typeof judgeObjectLock>[0], string]>([
    ['none', undefined, 'critical'],
    ['off', { isOn: false, retention: undefined }, 'critical'],
    ['on without a default retention', on(), 'warn'],
    ['a retention of no length', on({ mode: 'GOVERNANCE' }), 'warn'],
    ['governance', on({ mode: 'GOVERNANCE', days: 30 }), 'ok'],
    ['compliance', on({ mode: 'COMPLIANCE', years: 1 }), 'ok'],
    ['a mode that there is not', on({ mode: 'HOPE', days: 30 }), 'unknown'],
  ])('%s', (_name, lock, severity) => {
    expect(judgeObjectLock(lock, PLACE).severity).toBe(severity);
  });

  test('governance says who can lift it', () => {
    expect(judgeObjectLock(on({ mode: 'GOVERNANCE', days: 30 }), PLACE).detail).toContain(
      's3:BypassGovernanceRetention',
    );
  });
});

describe('failed uploads', () => {
  const abort = (rule: Partial<LifecycleRule> = {}): LifecycleRule => ({
    Status: 'Enabled',
    Filter: {},
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
    ...rule,
  });

  test.each<[string, readonly LifecycleRule[], string]>([
    ['no rules', [], 'warn'],
    ['the whole bucket', [abort()], 'ok'],
    ['the prefix', [abort({ Filter: { Prefix: 'lab/' } })], 'ok'],
    ['the older form of a prefix', [{ ...abort({ Prefix: 'la' }), Filter: {} }], 'ok'],
    ['a part of the prefix', [abort({ Filter: { Prefix: 'lab/writers/' } })], 'warn'],
    ['another prefix', [abort({ Filter: { Prefix: 'logs/' } })], 'warn'],
    ['a rule that is off', [abort({ Status: 'Disabled' })], 'warn'],
    ['a rule for a tag', [abort({ Filter: { Tag: { Key: 'a', Value: 'b' } } })], 'warn'],
    ['a rule for large objects', [abort({ Filter: { ObjectSizeGreaterThan: 5 } })], 'warn'],
    ['a rule that expires objects alone', [{ Status: 'Enabled', Filter: {}, Expiration: { Days: 7 } }], 'warn'],
    ['a rule without days', [abort({ AbortIncompleteMultipartUpload: {} })], 'warn'],
  ])('%s', (_name, rules, severity) => {
    expect(judgeAbortRule(rules, { bucket: 'acme' }, 'lab').severity).toBe(severity);
  });

  test('the remedy merges with the rules that there are', () => {
    const place = { bucket: 'acme', region: 'eu-west-1', endpoint: 'https://minio.example.org' };

    expect(judgeAbortRule([], place, 'lab').remediation).toBe(
      `echo '{"Rules":[{"ID":"abort-failed-uploads","Status":"Enabled","Filter":{"Prefix":"lab/"},"AbortIncompleteMultipartUpload":{"DaysAfterInitiation":7}}]}' > abort-failed-uploads.json && archiver lifecycle --bucket s3://acme --import abort-failed-uploads.json --region eu-west-1 --endpoint-url https://minio.example.org`,
    );
  });
});

describe('the default retention', () => {
  const NOW = new Date('2026-06-30T00:00:00Z');
  const DAY_MS = 86_400_000;
  const made = (version: number, daysAgo: number, more: Partial<KeptVersion> = {}): KeptVersion => ({
    datasetId: 'photos-1a2b3c4d',
    version,
    isNewest: false,
    tags: 0,
    lastModified: new Date(NOW.getTime() - daysAgo * DAY_MS),
    ...more,
  });
  const judge = (kept: readonly KeptVersion[], isComplete = true) =>
    judgeRetention({ mode: 'GOVERNANCE', days: 30 }, kept, { baseUrl: 's3://acme/lab', now: NOW, isComplete });

  test.each<[string, readonly KeptVersion[], string]>([
    ['no versions', [], 'ok'],
    ['a new version', [made(1, 3, { isNewest: true })], 'ok'],
    ['a new version after old ones', [made(1, 90), made(2, 3, { isNewest: true })], 'ok'],
    ['a newest version that is older', [made(1, 31, { isNewest: true })], 'warn'],
    ['a newest version to the day', [made(1, 30, { isNewest: true })], 'warn'],
    ['a tagged version that is older', [made(1, 90, { tags: 1 }), made(2, 3, { isNewest: true })], 'warn'],
  ])('%s', (_name, kept, severity) => {
    expect(judge(kept).severity).toBe(severity);
  });

  test('it names the versions that stay and are no longer locked, and what locks them', () => {
    const found = judge([made(1, 90), made(2, 60, { tags: 1 }), made(3, 40, { isNewest: true })]);

    expect(found.summary).toBe('over for 2 of 2 versions that stay');
    expect(found.detail).toContain('v2 of photos-1a2b3c4d, v3 of photos-1a2b3c4d are older');
    expect(found.detail).toContain('So can 1 older ones');
    expect(found.remediation).toBe('archiver fleet lock-extend s3://acme/lab --until 90d');
  });

  test('where not every folder was looked into, nothing there is no verdict', () => {
    expect(judge([], false).severity).toBe('unknown');
  });
});

test('what is not known is worse than a warning', () => {
  const found = (['ok', 'warn', 'unknown'] as const).map((severity) => finding('x', severity, ''));

  expect(worstOf(found, LOCK_ORDER)).toBe('unknown');
});

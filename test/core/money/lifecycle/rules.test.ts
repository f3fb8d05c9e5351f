import { describe, expect, test } from 'vitest';
import { endangering } from '../../../../src/core/money/lifecycle/endangered.js';
import { isSameRule, isSameSet } from '../../../../src/core/money/lifecycle/rules.js';
import { templateRules } from '../../../../src/core/money/lifecycle/template-rules.js';
import { templateOf } from '../../../../src/core/money/lifecycle/templates.js';
import type { StoredUpload } from '../../../../src/core/money/lifecycle/stored-uploads.js';
import type { LifecycleRule } from '../../../../src/core/store/bucket-lifecycle.js';

const uploadOf = (uploadId: string): StoredUpload => ({
  uploadId,
  folder: `lab/uploads/${uploadId}/`,
  chunkPrefix: `lab/uploads/${uploadId}/shard-`,
  waitingChunks: 1,
  waitingBytes: 1,
});
const UPLOAD = uploadOf('20251114-093012-1a2b3c4d');
const rule: LifecycleRule = { ID: 'a', Filter: { Prefix: 'x' }, Status: 'Enabled', Expiration: { Days: 5 } };

describe('rules are the same', () => {
  test('in either form, and in any order', () => {
    expect(isSameRule(rule, { Expiration: { Days: 5 }, Status: 'Enabled', Prefix: 'x', ID: 'a' })).toBe(true);
    expect(isSameRule(rule, { ...rule, Transitions: [] })).toBe(true);
    expect(isSameRule(rule, { ...rule, Filter: { Prefix: 'y' } })).toBe(false);
    expect(isSameRule(rule, { ...rule, Status: 'Disabled' })).toBe(false);
  });

  test('in sets, where S3 has chosen the smallest size that moves', () => {
    expect(isSameSet({ rules: [rule] }, { rules: [rule], minimumSize: 'all_storage_classes_128K' })).toBe(true);
    expect(isSameSet({ rules: [], minimumSize: 'a' }, { rules: [], minimumSize: 'b' })).toBe(false);
    expect(isSameSet({ rules: [rule] }, { rules: [] })).toBe(false);
  });
});

test('a bucket takes 1000 rules: the oldest uploads come first, and the rest is counted', () => {
  const uploads = Array.from({ length: 1200 }, (_, index) =>
    uploadOf(`20251114-093012-${String(index).padStart(8, '0')}`),
  );

  const { rules, leftOut } = templateRules(templateOf('archive-optimization'), 'lab', uploads, 10);

  expect(rules).toHaveLength(990);
  expect(leftOut).toBe(211);
  expect(rules[0]?.Filter?.Prefix).toBe(uploads[0]?.chunkPrefix);
  expect(new Set(rules.map(({ ID }) => ID)).size).toBe(990);
  expect(rules.at(-1)?.AbortIncompleteMultipartUpload).toEqual({ DaysAfterInitiation: 7 });
});

describe('harm', () => {
  const cold = [{ Days: 1, StorageClass: 'DEEP_ARCHIVE' }];
  const of = (one: Partial<LifecycleRule>): readonly string[] =>
    endangering([{ ID: 'r', Status: 'Enabled', ...one }], 'lab', [UPLOAD]).map(({ harm }) => harm);

  test.each([
    '',
    'lab',
    'lab/datasets/d-1',
    'lab/fleet/',
    'lab/uploads/2025',
    `${UPLOAD.folder}manifest`,
    `${UPLOAD.folder}manifest/`,
  ])("is done by archiving '%s*'", (Prefix) =>
    expect(of({ Filter: { Prefix }, Transitions: cold })).toEqual(['freezes']),
  );

  test.each(['logs/', 'lab/uploads/2024', UPLOAD.chunkPrefix])('is not done by archiving %s*', (Prefix) =>
    expect(of({ Filter: { Prefix }, Transitions: cold })).toEqual([]),
  );

  test('is done by expiry of chunks, but not of old versions, by tag, or where a rule is disabled', () => {
    const Filter = { Prefix: UPLOAD.chunkPrefix };
    expect(of({ Filter, Expiration: { Days: 3 } })).toEqual(['deletes']);
    expect(of({ Filter, Expiration: { ExpiredObjectDeleteMarker: true } })).toEqual([]);
    expect(of({ Filter, NoncurrentVersionExpiration: { NoncurrentDays: 3 } })).toEqual([]);
    expect(of({ Filter: { Tag: { Key: 'a', Value: 'b' } }, Expiration: { Days: 3 } })).toEqual([]);
    expect(of({ Filter, Expiration: { Days: 3 }, Status: 'Disabled' })).toEqual([]);
  });

  test('is not done by classes that are read at once', () => {
    const Transitions = [{ Days: 0, StorageClass: 'INTELLIGENT_TIERING' }];
    expect(of({ Filter: { Prefix: '' }, Transitions })).toEqual([]);
  });
});

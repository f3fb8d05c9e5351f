import { describe, expect, test } from 'vitest';
import { readRules, setProblems } from '../../../../src/core/money/lifecycle/validate.js';

const good = { ID: 'a', Filter: { Prefix: 'x/' }, Status: 'Enabled', Expiration: { Days: 10 } };
const moving = (...Transitions: readonly object[]): object => ({ ...good, Expiration: undefined, Transitions });
const of = (rule: object): readonly string[] =>
  readRules({ Rules: [JSON.parse(JSON.stringify(rule)) as object] }).problems;

describe('S3 takes', () => {
  test.each([
    ['a rule', good],
    ['an older one', { ...good, Filter: undefined, Prefix: '' }],
    ['every object', { ...good, Filter: {} }],
    ['conditions together', { ...good, Filter: { And: { Prefix: 'x', ObjectSizeGreaterThan: 5 } } }],
    ['a date', { ...good, Expiration: { Date: '2030-01-01T00:00:00Z' } }],
    ['moves in order', moving({ Days: 180, StorageClass: 'DEEP_ARCHIVE' }, { Days: 30, StorageClass: 'GLACIER' })],
    ['a move at once', moving({ Days: 0, StorageClass: 'INTELLIGENT_TIERING' })],
    ['old versions', { ...good, NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 100 } }],
  ])('%s', (_name, rule) => expect(of(rule)).toEqual([]));
});

describe('S3 does not take', () => {
  test.each([
    ['no list', 5, 'rule 1 is no object'],
    ['an unknown key', { ...good, Expires: 5 }, 'rule 1.Expires is nothing that S3 knows'],
    ['an inherited key', { ...good, constructor: 5 }, 'rule 1.constructor is nothing that S3 knows'],
    ['a number as text', { ...good, Expiration: { Days: '5' } }, 'rule 1.Expiration.Days is not a whole number'],
    ['no ID', { ...good, ID: undefined }, 'rule 1 has no ID'],
    ['a long ID', { ...good, ID: 'a'.repeat(256) }, 'more than 255 characters'],
    ['another Status', { ...good, Status: 'enabled' }, 'Status other than'],
    ['nothing selected', { ...good, Filter: undefined }, 'needs either Filter or the older Prefix'],
    ['both selections', { ...good, Prefix: 'x' }, 'needs either Filter or the older Prefix'],
    ['conditions beside each other', { ...good, Filter: { Prefix: 'x', ObjectSizeLessThan: 5 } }, 'go into And'],
    ['one condition in And', { ...good, Filter: { And: { Prefix: 'x' } } }, 'less than two conditions'],
    [
      'no size',
      { ...good, Filter: { And: { ObjectSizeGreaterThan: 5, ObjectSizeLessThan: 5 } } },
      'selects no size at all',
    ],
    [
      'aborting by tag',
      {
        ...good,
        Filter: { Tag: { Key: 'a', Value: 'b' } },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
      'cannot abort uploads by tag',
    ],
    ['nothing to do', { ...good, Expiration: undefined }, 'does nothing'],
    ['two times', { ...good, Expiration: { Days: 5, Date: '2030-01-01T00:00:00Z' } }, 'needs one of Days, Date'],
    ['noon', { ...good, Expiration: { Date: '2030-01-01T12:00:00Z' } }, 'no midnight'],
    ['no day', { ...good, Expiration: { Date: 'tomorrow' } }, 'no midnight'],
    ['0 days', { ...good, Expiration: { Days: 0 } }, 'after 0 days'],
    ['another class', moving({ Days: 5, StorageClass: 'STANDARD' }), "moves objects to 'STANDARD'"],
    ['IA too early', moving({ Days: 29, StorageClass: 'ONEZONE_IA' }), 'before 30 days'],
    [
      'leaving IA too early',
      moving({ Days: 30, StorageClass: 'STANDARD_IA' }, { Days: 59, StorageClass: 'GLACIER' }),
      'leaves STANDARD_IA before 30 days',
    ],
    [
      'a way back',
      moving({ Days: 30, StorageClass: 'DEEP_ARCHIVE' }, { Days: 60, StorageClass: 'GLACIER' }),
      'back to GLACIER',
    ],
    [
      'expiring before moving',
      { ...moving({ Days: 30, StorageClass: 'GLACIER' }), Expiration: { Days: 30 } },
      'expires objects before it moves them',
    ],
    [
      'a day of the calendar beside days',
      { ...moving({ Days: 30, StorageClass: 'GLACIER' }), Expiration: { Date: '2030-01-01T00:00:00Z' } },
      'mixes Days and Date',
    ],
    [
      'a way back by date',
      moving(
        { Date: '2030-01-01T00:00:00Z', StorageClass: 'DEEP_ARCHIVE' },
        { Date: '2030-02-01T00:00:00Z', StorageClass: 'GLACIER' },
      ),
      'back to GLACIER',
    ],
    [
      'expiring before moving, by date',
      {
        ...moving({ Date: '2030-01-01T00:00:00Z', StorageClass: 'GLACIER' }),
        Expiration: { Date: '2030-01-01T00:00:00Z' },
      },
      'expires objects before it moves them',
    ],
    [
      'old versions that expire before they move',
      {
        ...good,
        NoncurrentVersionTransitions: [{ NoncurrentDays: 30, StorageClass: 'GLACIER' }],
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
      },
      'expires old versions before it moves them',
    ],
    [
      'too many old versions',
      { ...good, NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 101 } },
      'more than 100 old versions',
    ],
  ])('%s', (_name, rule, words) => expect(of(rule as object).join('; ')).toContain(words));

  test('a file without rules', () => {
    for (const document of [undefined, [], {}, { Rules: [] }, { Rules: 'none' }])
      expect(readRules(document).problems).toEqual(['there is no list of rules in it under "Rules"']);
  });

  test('more than a bucket has room for, and an ID twice', () => {
    const rules = Array.from({ length: 1001 }, (_, index) => ({ ...good, ID: `r${index}` }));
    expect(setProblems(rules.slice(1))).toEqual([]);
    expect(setProblems(rules)).toEqual(['1001 rules are more than the 1000 that a bucket can have']);
    expect(setProblems([good, good])).toEqual(["the ID 'a' is there more than once"]);
  });
});

import { expect, test } from 'vitest';
import { changedConfig, type SettingValue } from '../../../src/core/config/change-config.js';
import { lineDiff } from '../../../src/core/platform/text/line-diff.js';

const change = (text: string, changes: Readonly<Record<string, SettingValue | undefined>>): Promise<string> =>
  changedConfig(text, new Map(Object.entries(changes)));

test('comments, order and other settings stay', async () => {
  const before = '# mine\nupload:\n  # few\n  shardCount: 4 # really\n  tags: { a: b }\naws:\n    profile: old\n';

  expect(await change(before, { 'upload.shardCount': 8, 'storage.url': 's3://a', 'aws.profile': undefined })).toBe(
    '# mine\nupload:\n  # few\n  shardCount: 8 # really\n  tags: { a: b }\nstorage:\n  url: s3://a\n',
  );
});

test.each(['', '# only this\n', '---\n'])('%j becomes a file', async (before) => {
  const after = await change(before, { 'storage.url': 's3://a' });

  expect(after).toMatch(/^#.*\n\nstorage:\n {2}url: s3:\/\/a\n$/);
  expect(after.includes('only this')).toBe(before.includes('only this'));
});

test('a section whose lines are all commented out takes a setting', async () => {
  expect(await change('aws:\n#  region: x\nstorage:\n', { 'storage.url': 's3://a' })).toContain(
    'storage:\n  url: s3://a\n',
  );
});

test('what the file says already leaves every byte', async () => {
  const before = 'storage:   { url:   s3://a }\r\n';

  expect(await change(before, { 'storage.url': 's3://a', 'aws.region': undefined })).toBe(before);
});

test.each<[string, string, string]>([
  ['', 'a\n', '+a'],
  ['a\nb\nc\n', 'a\nB\nc\n', ' a,-b,+B, c'],
  ['1\n2\n3\n4\n5\n6\n', '1\n2\n3\n4\n5\n7\n', ' 4, 5,-6,+7'],
  ['a\nx\nb\ny\n', 'x\nb\nz\ny\n', '-a, x, b,+z, y'],
  ['same\n', 'same\n', ''],
])('the difference of %j and %j', (before, after, expected) => {
  expect(
    lineDiff(before, after)
      .map(({ sign, text }) => sign + text)
      .join(','),
  ).toBe(expected);
});

// The refusals of `archiver upload`, and which settings they leave alone. What it does is in test/e2e/upload*.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../src/commands/upload.js';
import { excludedTrees, resolveSource } from '../../src/core/archive/scan/source-folder.js';
import { runSample } from '../cli/sample-tree.js';
import { tempFolder } from '../support/temp-folder.js';
import { raw } from '../support/raw.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([command], [], 'upload alone');

test.each([
  ['two destinations', ['file:///x', '--bucket', 'abc'], 'either a URL or --bucket'],
  ['no destination', [], 'DESTINATION (or --bucket) is missing'],
  ['a prefix without a bucket', ['file:///x', '--prefix', 'p'], '--prefix goes with --bucket'],
  ['tier days without --auto-tier', ['s3://abc', '--tier-hot-days', '3'], '--auto-tier'],
  ['a tier strategy without --auto-tier', ['s3://abc', '--tier-strategy', 'tier-aware'], '--auto-tier'],
  ['a coldest tier without --auto-tier', ['s3://abc', '--tier-max', 'GLACIER'], '--auto-tier'],
  ['--auto-tier with a class', ['s3://abc', '--auto-tier', '--storage-class', 'GLACIER'], '--storage-class'],
  ['tier days that decrease', ['s3://abc', '--auto-tier', '--tier-hot-days', '100'], 'must not decrease'],
  ['frames that are too small', ['file:///x', '--frame-size', '1KiB'], '--frame-size'],
  ['frames that are too large', ['file:///x', '--frame-size', '2GiB'], '--frame-size'],
  ['three shards', ['file:///x', '--shard-count', '3'], '--shard-count'],
  ['thirty-three shards', ['file:///x', '--shard-count', '33'], '--shard-count'],
  ['level zero', ['file:///x', '--compression-level', '0'], '--compression-level'],
  ['level 23', ['file:///x', '--compression-level', '23'], '--compression-level'],
  ['an unknown strategy', ['file:///x', '--shard-strategy', 'random'], '--shard-strategy'],
  ['an unknown transporter', ['file:///x', '--transporter', 'pigeon'], '--transporter'],
  ['an unknown class', ['s3://abc', '--storage-class', 'COLD'], '--storage-class'],
  ['a class for a folder', ['file:///x', '--storage-class', 'GLACIER'], 'storage classes'],
  ['tiers for a folder', ['file:///x', '--auto-tier'], 'storage classes'],
  ['a writer id with a slash', ['file:///x', '--writer-id', 'a/b'], '--writer-id'],
  ['an empty writer id', ['file:///x', '--writer-id', ''], '--writer-id must not be empty'],
  ['a tag without a value', ['file:///x', '--tag', 'novalue'], '--tag'],
  ['little memory', ['file:///x', '--memory-limit', '64MiB'], '--memory-limit'],
  [
    'an exclude file that is not there',
    ['file:///x', '--exclude-file', '/nonexistent/patterns'],
    'patterns: there is no such file\n',
  ],
  ['a destination that is no URL', ['just/a/path'], 's3://'],
] as const)('%s is a usage error', async (_name, args, words) => {
  const source = await tempFolder();
  writeFileSync(join(source, 'a'), 'a');

  const { status, stdout, stderr } = await runSample(['upload', source, ...args, '--dry-run'], root, {
    userHome: source,
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(words);
});

test('a dry run of a sound call plans', async () => {
  const source = await tempFolder();
  writeFileSync(join(source, 'a'), 'a');

  const { status, stdout } = await runSample(['upload', source, 'file:///nonexistent', '--dry-run'], root, {
    userHome: source,
  });

  expect(status).toBe(0);
  expect(stdout).toContain('Would upload 1 file, 1 B in 1 chunk over 4 shards to file:///nonexistent\n');
});

const OWN = ['agents', 'cache', 'compiled-code', 'fleet', 'ledger', 'manifest-cache', 'receipts', 'state'];

test('folders of our own are left out below the source alone, also when that is the root', async () => {
  const home = await tempFolder();

  expect(excludedTrees(raw(home), `file://${home}/store`, `${home}/.archiver`)).toEqual([
    ...OWN.map((name) => `${home}/.archiver/${name}`),
    `${home}/store`,
  ]);
  expect(excludedTrees(raw(home), 's3://abc/x', '/elsewhere')).toEqual([]);
  expect(excludedTrees(raw('/'), 'file:///srv/none/store', '/home/none')).toEqual([
    ...OWN.map((name) => `/home/none/${name}`),
    '/srv/none/store',
  ]);
  expect(excludedTrees(raw(home), `file://${home}-2/store`, '/elsewhere')).toEqual([]);
});

test('a source is resolved to where it really is', async () => {
  const home = await tempFolder();

  expect(resolveSource('.', home)).toBe(home);
  expect(resolveSource(`${home}/../${home.split('/').pop()}`, '/')).toBe(home);
  expect(() => resolveSource('no\nsuch', home)).toThrow('no\\x0asuch does not exist');
});

// docs/access.md says what commands need to be allowed, and they ask a store for that and for nothing else.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const ACTIONS: Readonly<Record<string, string>> = {
  ListObjectsV2: 's3:ListBucket',
  ListObjectVersions: 's3:ListBucketVersions',
  ListMultipartUploads: 's3:ListBucketMultipartUploads',
  GetObjectLockConfiguration: 's3:GetBucketObjectLockConfiguration',
  GetObject: 's3:GetObject',
  HeadObject: 's3:GetObject',
  PutObject: 's3:PutObject',
  DeleteObjects: 's3:DeleteObject',
};
const STORE = 's3://store/lab';
const OF_DATASET = ['--dataset-id', 'd'];

const root = program();
let folder = '';
let s3: MemoryS3;

const run = async (...argv: readonly string[]): Promise<number> => {
  s3.requests.length = 0;
  const env = { NO_COLOR: '1', AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: s3.endpoint };
  return (await runCommand({ root, folder, env }, argv)).status;
};
/** The actions that were asked for in a bucket. */
const askedIn = (bucket: string): ReadonlySet<string> =>
  new Set(
    s3.requests
      .filter(({ path }) => path.startsWith(`/${bucket}`))
      .map(({ operation }) => ACTIONS[operation] ?? operation),
  );
const putsWith = (header: string): number =>
  s3.requests.filter(({ operation, headers }) => operation === 'PutObject' && headers[header] !== undefined).length;

/** The actions that the table has for a command. */
function documented(command: string): ReadonlySet<string> {
  const text = readFileSync('docs/access.md', 'utf8');
  const [, table = ''] = text.split('## What commands need');
  const row = table.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${command}\``));
  return new Set(row?.split('|')[2]?.match(/s3:\w+/g) ?? []);
}

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  s3 = await startMemoryS3('store', 'other');
  onTestFinished(() => s3.close());
  mkdirSync(join(folder, 'd'));
  for (const content of ['1', '2']) {
    writeFileSync(join(folder, 'd', 'a'), content);
    await run('sync', './d', STORE, ...OF_DATASET);
  }
  await run('dataset', 'prune', STORE, ...OF_DATASET, '--keep-last', '1', '--yes');
});

const CALLS: readonly (readonly [string, ...string[]])[] = [
  ['dataset restore-version', STORE, '--version', '1', ...OF_DATASET],
  ['sync', './d', STORE, ...OF_DATASET],
  ['upload', './d', STORE, ...OF_DATASET],
  ['dataset tag', STORE, 'kept', '2', ...OF_DATASET],
  ['dataset versions', STORE, ...OF_DATASET],
  ['restore', STORE, './out', '--all', ...OF_DATASET],
  ['cat', STORE, '--file', 'a', ...OF_DATASET],
  ['find', 'a', STORE],
  ['history', 'a', STORE, ...OF_DATASET],
  ['verify', STORE, '--deep', ...OF_DATASET],
  ['drill', STORE, ...OF_DATASET],
  ['analyze', STORE],
  ['dataset prune', STORE, ...OF_DATASET, '--keep-last', '1', '--yes'],
];

describe('a command asks for no more than docs/access.md says', () => {
  test('of its store', async () => {
    for (const [command, ...args] of CALLS) {
      const status = await run(...command.split(' '), ...args);
      const asked = [...askedIn('store')];

      expect([command, status, asked.length > 0]).toEqual([command, 0, true]);
      expect([command, asked.filter((action) => !documented(command).has(action))]).toEqual([command, []]);
    }
  });

  test('of the store of --also as of the first, and of both of a copy', async () => {
    writeFileSync(join(folder, 'd', 'a'), 'more');
    await run('sync', './d', STORE, ...OF_DATASET, '--also', 's3://other/also');
    const also = askedIn('other');
    await run('copy', STORE, 's3://other/copy');

    expect([...also, ...askedIn('other')].filter((action) => !documented('sync').has(action))).toEqual([]);
    expect([...askedIn('store')].filter((action) => !documented('cat').has(action))).toEqual([]);
  });
});

test('a version comes back by one PUT over its tombstone, which a policy that asks for If-None-Match refuses', async () => {
  await run('dataset', 'restore-version', STORE, '--version', '1', ...OF_DATASET);

  expect([putsWith('if-match'), putsWith('if-none-match'), askedIn('store').has('s3:DeleteObject')]).toEqual([
    1,
    0,
    false,
  ]);
});

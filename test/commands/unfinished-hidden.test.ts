// Stores that do not list unfinished multipart uploads: `rclone serve s3` answers 404 NoSuchUpload, others 405 or 501.
import { beforeEach, describe, expect, test } from 'vitest';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { program } from '../../src/commands/index.js';
import { useBrokenS3 } from '../support/broken-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const s3 = useBrokenS3();
const UNSEEN = 'unfinished uploads, if there are any, cannot be seen';
let folder = '';

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { NO_COLOR: '1', AWS_ENDPOINT_URL: s3.proxy.endpoint } }, argv);
const prune = (...argv: readonly string[]): Promise<CommandRun> =>
  run('dataset', 'prune', 's3://bucket/p', '--all-datasets', '--keep-last', '1', '--yes', ...argv);
const answers = (status: number, code: string): void =>
  s3.proxy.inject({ operation: 'ListMultipartUploads', fault: { kind: 'status', status, code } });
/** How often it is said. */
const saidIn = ({ stdout, stderr }: CommandRun): number => `${stdout}${stderr}`.split(UNSEEN).length - 1;

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  for (const text of ['one', 'two']) {
    writeFileSync(join(folder, 'data', 'file'), text.repeat(text === 'one' ? 1 : 2));
    const made = await run('sync', 'data', 's3://bucket/p');
    if (made.status !== 0) throw new Error(made.stderr);
  }
});

describe.each([
  [404, 'NoSuchUpload'],
  [405, 'MethodNotAllowed'],
  [501, 'NotImplemented'],
])('where the listing of unfinished uploads answers %i', (status, code) => {
  beforeEach(() => answers(status, code));

  test('a prune goes on, and says once that it cannot see them', async () => {
    const dry = await prune('--dry-run', '--json');
    const real = await prune();

    expect([dry.status, json(dry.stdout)]).toMatchObject([
      0,
      { unfinishedWrites: null, unfinishedHidden: 'unsupported', datasets: [{ retired: [{ version: 1 }] }] },
    ]);
    expect([real.status, saidIn(real)]).toEqual([0, 1]);
    expect(real.stdout).toContain('retired');
  });

  test('analyze counts objects, and the number of unfinished uploads is not known', async () => {
    const { status, stdout } = await run('analyze', 's3://bucket/p', '--json');
    const { stdout: text } = await run('analyze', 's3://bucket/p');

    expect([status, json(stdout)]).toMatchObject([0, { unfinished: null, unfinishedHidden: 'unsupported' }]);
    expect(text).toContain('not known: this store does not list unfinished uploads');
  });

  test('scuttle deletes what it sees, and says once what it cannot see', async () => {
    const dry = await run('scuttle', 's3://bucket/p', '--dry-run', '--json');
    const real = await run('scuttle', 's3://bucket/p', '--force');

    expect([dry.status, json(dry.stdout)]).toMatchObject([
      0,
      { found: { unfinishedMultiparts: null, unfinishedBytes: null, unfinishedHidden: 'unsupported' } },
    ]);
    expect([real.status, saidIn(real)]).toEqual([0, 1]);
    expect(s3.server.buckets.get('bucket')?.size).toBe(0);
  });
});

describe('what means something else', () => {
  test('credentials that may not list them: scuttle ends with 3, a prune says so once', async () => {
    answers(403, 'AccessDenied');

    const dry = await run('scuttle', 's3://bucket/p', '--dry-run', '--json');
    const pruned = await prune();

    expect(json(dry.stdout)).toMatchObject({ found: { unfinishedMultiparts: null, unfinishedHidden: 'denied' } });
    expect([pruned.status, saidIn(pruned)]).toEqual([0, 1]);
    expect(pruned.stderr).toContain('s3:ListBucketMultipartUploads');
    expect((await run('scuttle', 's3://bucket/p', '--force')).status).toBe(3);
  });

  test.each([
    [404, 'NoSuchBucket'],
    [400, 'InvalidRequest'],
  ])('%i %s stays an error, and nothing is deleted', async (status, code) => {
    answers(status, code);
    const before = s3.server.buckets.get('bucket')?.size;

    expect((await prune()).status).toBe(1);
    expect((await run('analyze', 's3://bucket/p')).status).toBe(1);
    expect((await run('scuttle', 's3://bucket/p', '--force')).status).toBe(1);
    expect(s3.server.buckets.get('bucket')?.size).toBe(before);
  });
});

test('where they can be seen none is told of, and nothing is said', async () => {
  const pruned = await prune('--json');

  expect(json(pruned.stdout)).toMatchObject({ unfinishedWrites: { objects: 0, bytes: 0 }, unfinishedHidden: null });
  expect(saidIn(pruned)).toBe(0);
});

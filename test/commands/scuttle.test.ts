import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../src/commands/scuttle.js';
import { useBrokenS3 } from '../support/broken-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([command], [], 'scuttle alone');
const CHUNK = 'uploads/20251114-093012-1a2b3c4d/shard-00/chunk-000000.tar.zst';
const s3 = useBrokenS3();
let folder = '';
let url = '';

/** With `answers`, on a terminal where these lines are typed and then the input ends. */
const run = (argv: readonly string[], answers?: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { NO_COLOR: '1' }, answers }, ['scuttle', ...argv]);

const at = (key: string): string => join(folder, 'store', key);

beforeEach(async () => {
  folder = await tempFolder();
  url = `file://${join(folder, 'store')}`;
  for (const key of [CHUNK, 'datasets/d-1/v00000001.json', 'holiday\u001b[2J.jpg']) {
    mkdirSync(dirname(at(key)), { recursive: true });
    writeFileSync(at(key), '0123456789');
  }
});

describe('usage', () => {
  test.each([
    [[], '✗ S3_URL (or --bucket) is missing\n'],
    [['s3://bucket', '--bucket', 'bucket'], 'give either a URL or --bucket, not both'],
    [['s3://bucket', '--prefix', 'p'], '--prefix goes with --bucket'],
    [['--bucket', 'bucket', '--prefix', ''], '--prefix must not be empty: leave it out for the whole bucket'],
    [['s3://bucket/uploads/20251114-093012-1a2b3c4d', '--force'], 'is a single upload'],
    [['--bucket', 'NO/bucket', '--force'], 'is not a bucket name'],
  ])('%j is refused', async (argv, words) => {
    const { status, stderr } = await run(argv);

    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  test('without a terminal and without --force nothing is even listed, and the sentence says what to type', async () => {
    const { status, stdout, stderr } = await run([url]);

    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`archiver scuttle ${url} --force`);
    expect(existsSync(at(CHUNK))).toBe(true);
  });
});

describe('questions', () => {
  test('the path of the folder, SCUTTLE and yes delete what is ours', async () => {
    const { status, stdout, stderr } = await run([url], [join(folder, 'store'), 'SCUTTLE', 'yes']);

    expect(status).toBe(0);
    expect(stdout).toContain('deleted 2 objects (20 B)');
    expect(stderr).toContain('2 objects, 20 B together');
    expect(stderr).toContain(CHUNK);
    expect(readdirSync(join(folder, 'store'))).toEqual(['holiday\u001b[2J.jpg']);
  });

  test.each([
    ['another folder', ['/elsewhere', 'SCUTTLE', 'yes']],
    ['scuttle in small letters', ['STORE', 'scuttle', 'yes']],
    ['y for yes', ['STORE', 'SCUTTLE', 'y']],
    ['an input that ends', ['STORE', 'SCUTTLE']],
    ['nothing at all', []],
  ])('%s cancels: status 1, nothing deleted', async (_name, answers) => {
    const typed = answers.map((answer) => (answer === 'STORE' ? join(folder, 'store') : answer));

    const { status, stdout, stderr } = await run([url], typed);

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('nothing was deleted');
    expect(existsSync(at(CHUNK))).toBe(true);
  });

  test('of a bucket want its name', async () => {
    s3.put(CHUNK, 'x');
    const argv = ['--bucket', 'bucket', '-p', 'p', '--endpoint-url', s3.proxy.endpoint];

    expect((await run(argv, ['p', 'SCUTTLE', 'yes'])).status).toBe(1);
    expect((await run(argv, ['bucket', 'SCUTTLE', 'yes'])).status).toBe(0);
    expect(s3.server.buckets.get('bucket')?.size).toBe(0);
  });
});

describe('--force and --dry-run', () => {
  test('--force asks nothing and --json is one document', async () => {
    const { status, stdout } = await run([url, '--force', '--json']);

    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({
      location: url,
      dryRun: false,
      deletedObjects: 2,
      deletedVersions: 0,
      deletedBytes: 20,
      abortedMultiparts: 0,
      leftAlone: 1,
      failed: [],
      found: { objects: 2, uploadCount: 1, datasetCount: 1 },
    });
  });

  test('--dry-run shows, names what it leaves alone without its control characters, and deletes nothing', async () => {
    const { status, stdout } = await run([url, '--dry-run']);

    expect(status).toBe(0);
    expect(stdout).toContain('1 upload, 1 dataset');
    expect(stdout).toContain(String.raw`holiday\x1b[2J.jpg`);
    expect(stdout).toContain('Nothing was deleted (--dry-run).');
    expect(existsSync(at(CHUNK))).toBe(true);
  });

  // Whoever may write below one of the writers can make any number of them.
  test('temp files that a killed writer left are of no writer that is at work', async () => {
    writeFileSync(at('uploads/20251114-093012-1a2b3c4d/.archiver~tmp-0123456789abcdef'), 'half');

    const { stdout } = await run([url, '--dry-run']);

    expect(stdout).toContain('1 temp file of writers that have not finished, 4 B');
    expect(stdout).not.toMatch(/may be writing/);
  });

  test('of the places further down the first ones are named', async () => {
    for (let i = 100; i < 130; i++) {
      mkdirSync(dirname(at(`writers/nas/x${i}/${CHUNK}`)), { recursive: true });
      writeFileSync(at(`writers/nas/x${i}/${CHUNK}`), 'x');
    }

    const { stdout } = await run([url, '--dry-run']);

    expect(stdout).toContain('left alone, what archiver wrote below these; name such a place itself');
    expect(stdout.match(/^ {4}writers\/nas\/x1\d\d$/gm)).toHaveLength(10);
    expect(stdout).toContain('    and 20 more');
  });

  test('a place without anything of ours is done without questions', async () => {
    const { status, stdout } = await run([`file://${join(folder, 'elsewhere')}`], []);

    expect(status).toBe(0);
    expect(stdout).toContain('There is nothing to delete.');
  });

  test('what cannot be deleted is named and makes the status 3', async () => {
    s3.server.keepVersions('bucket');
    const { store } = await s3.open();
    await store.put(CHUNK, Buffer.from('x'));
    s3.server.locked.add(`p/${CHUNK}`);
    const place = ['s3://bucket/p', '--endpoint-url', s3.proxy.endpoint, '--force'];

    const [text, document] = [await run(place), await run([...place, '--json'])];
    s3.server.locked.clear();

    expect([text.status, document.status]).toEqual([3, 3]);
    expect(text.stdout).toContain(CHUNK);
    expect(json(document.stdout)).toMatchObject({ deletedObjects: 0, failed: [{ key: CHUNK }] });
  });

  test('versions that cannot be seen make the status 3', async () => {
    s3.put(CHUNK, 'x');
    s3.proxy.inject({ operation: 'ListObjectVersions', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });

    const { status, stdout, stderr } = await run(['s3://bucket/p', '--endpoint-url', s3.proxy.endpoint, '--force']);

    expect(status).toBe(3);
    expect(stdout).toContain('deleted 1 object');
    expect(stderr).toContain('older versions could not be seen');
  });
});

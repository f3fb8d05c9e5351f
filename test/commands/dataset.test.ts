import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { command as datasetDiff } from '../../src/commands/dataset/diff.js';
import { command as datasetList } from '../../src/commands/dataset/list.js';
import { command as datasetPrune } from '../../src/commands/dataset/prune.js';
import { command as datasetVersions } from '../../src/commands/dataset/versions.js';
import { command as restore } from '../../src/commands/restore.js';
import type { Json } from '../support/make-archive.js';
import { linkId, type LinkSpec } from '../support/make-chain.js';
import { callsIn, damageRecord, datasetFolder } from '../support/dataset-folder.js';
import { DATASET, makeDataset, recordBytes, recordDocument, recordKey, writeObjects } from '../support/make-dataset.js';
import { startMemoryS3, type MemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { runCommand, type CommandRun } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a.txt', content: 'alpha' },
      { path: 'b.txt', content: 'beta', chunk: 1 },
      { path: 'dir', type: 'directory' },
      { path: 'dir/\u001b[31mred', content: 'r', chunk: 1 },
    ],
  },
  {
    files: [{ path: 'a.txt', content: 'alpha two' }],
    kept: { 'b.txt': { mode: '0600' }, dir: { mtime: '2026-01-01T00:00:00.000000000Z' } },
  },
  { files: [{ path: 'new.txt', content: 'new' }], deleted: ['b.txt', 'dir'] },
];
const made = makeDataset(LINKS);
const root = treeOf(
  [datasetList, datasetVersions, datasetDiff, datasetPrune, restore],
  [{ path: 'dataset', summary: 'datasets' }],
  'test',
);
const ID = ['--dataset-id', DATASET];
let folder = '';
let base = '';

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

const { run, json } = callsIn(root, () => folder);
const damage = (version: number): void => damageRecord(folder, version);
const files = (): string[] =>
  readdirSync(join(folder, 'store'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

describe('dataset list', () => {
  test.each(['list', 'versions'])(
    'all tables with times fit a terminal of 80 columns with their time: %s',
    async (verb) => {
      const id = verb === 'list' ? [] : ID;
      const { stdout } = await runCommand({ root, folder, columns: 80 }, ['dataset', verb, base, ...id]);

      const lines = stdout.trimEnd().split('\n');
      expect(lines.every((line) => line.length <= 80)).toBe(true);
      expect(lines[0]).toMatch(/(?:UPDATED|CREATED) \(UTC\)/);
      expect(lines[0]).toMatch(verb === 'list' ? /SOURCE$/ : /LISTING/);
    },
  );

  test('shows what the newest version holds', async () => {
    const { stdout, status } = await run('dataset', 'list', base);

    expect(status).toBe(0);
    expect(stdout).toBe(
      'DATASET        VERSIONS  HEAD  FILES  SIZE  UPDATED (UTC)     SOURCE\n' +
        `${DATASET}         3    v3      2  12 B  2026-03-03 12:00  /made on test\n`,
    );
  });

  test('--json', async () => {
    expect(await json('dataset', 'list', base)).toMatchObject({
      location: base,
      datasets: [
        {
          datasetId: DATASET,
          versionCount: 3,
          headVersion: 3,
          headUploadId: linkId(2),
          files: 2,
          bytes: 12,
          updatedAt: '2026-03-03T12:00:00.000Z',
          source: '/made',
          host: 'test',
        },
      ],
      requests: { list: 2, get: 1, put: 0 },
    });
  });

  test('an empty place has none, and says so', async () => {
    mkdirSync(join(folder, 'store/elsewhere'));
    expect((await run('dataset', 'list', `${base}/elsewhere`)).stdout).toBe(`no datasets under ${base}/elsewhere\n`);
    expect(await json('dataset', 'list', `${base}/elsewhere`)).toMatchObject({ datasets: [], status: 0 });
  });

  test('one that cannot be read is named, the others are shown, and the status is 3', async () => {
    damage(3);
    await writeObjects(join(folder, 'store'), new Map([[recordKey(1, 'other-1'), made.objects.get(recordKey(1))!]]));

    const { status, stdout, stderr } = await run('dataset', 'list', base);

    expect([status, stderr]).toEqual([3, expect.stringMatching(/! .*v00000003.json is not valid JSON/)]);
    expect(stdout).toMatch(/made-00000000 +3 +v3 +- /);
    expect(await json('dataset', 'list', base)).toMatchObject({
      datasets: [
        { datasetId: DATASET, files: null, problem: expect.stringContaining('v00000003') },
        { datasetId: 'other-1' },
      ],
      status: 3,
    });
  });

  test('--writer-id looks under the writer, as the URL may', async () => {
    await writeObjects(join(folder, 'fleet/writers/w1'), made.objects);
    const fleet = `file://${join(folder, 'fleet')}`;

    const byFlag = await json('dataset', 'list', fleet, '--writer-id', 'w1');
    const byUrl = await json('dataset', 'list', `${fleet}/writers/w1`);

    expect(byFlag).toEqual(byUrl);
    expect((byFlag['datasets'] as unknown[]).length).toBe(1);
    expect((await run('dataset', 'list', fleet, '--writer-id', '../w1')).status).toBe(2);
  });

  test('an upload is no place for datasets', async () => {
    const { status, stderr } = await run('dataset', 'list', `${base}/uploads/${linkId(0)}`);

    expect([status, stderr]).toEqual([2, expect.stringMatching(/is an upload, and datasets lie above uploads/)]);
  });
});

describe('dataset versions', () => {
  test('newest first, with the totals of a restore', async () => {
    const { stdout } = await run('dataset', 'versions', base, ...ID);

    expect(stdout).toBe(
      'VERSION  UPLOAD                    LISTING  FILES  SIZE  CREATED (UTC)     SOURCE\n' +
        `     v3  ${linkId(2)}  delta        2  12 B  2026-03-03 12:00  /made on test\n` +
        `     v2  ${linkId(1)}  delta        3  14 B  2026-03-02 12:00  /made on test\n` +
        `     v1  ${linkId(0)}  full         3  10 B  2026-03-01 12:00  /made on test\n`,
    );
  });

  test('--json', async () => {
    const document = await json('dataset', 'versions', base, ...ID);

    expect(document).toMatchObject({
      datasetId: DATASET,
      versions: [
        { version: 3, uploadId: linkId(2), listing: 'delta', files: 2, bytes: 12, source: '/made' },
        { version: 2, listing: 'delta', files: 3, bytes: 14 },
        { version: 1, listing: 'full', files: 3, bytes: 10, createdAt: '2026-03-01T12:00:00.000Z', previous: null },
      ],
    });
  });

  test('a damaged record is a row that says so, and status 3', async () => {
    damage(2);
    const { status, stdout } = await run('dataset', 'versions', base, ...ID);

    expect(status).toBe(3);
    expect(stdout).toMatch(/ v2 +unreadable +- +- +-/);
    expect(stdout).toMatch(/ v1 +20260101/);
  });

  test('a dataset that is not there is a failure with near names', async () => {
    const { status, stderr } = await run('dataset', 'versions', base, '--dataset-id', 'made-1');

    expect(status).toBe(1);
    expect(stderr).toContain(`no dataset made-1 found under ${base}`);
    expect(stderr).toContain(`did you mean ${DATASET}?`);
    expect((await run('dataset', 'versions', base, '--dataset-id', 'a/b')).status).toBe(2);
  });
});

describe('dataset diff', () => {
  test('rows in path order, and a summary', async () => {
    expect((await run('dataset', 'diff', base, ...ID, '--from', '1', '--to', 'v2')).stdout).toBe(
      'modified         9 B  a.txt  (content)\n' +
        'modified         4 B  b.txt  (mode)\n' +
        'v1 to v2: 0 added, 0 deleted, 2 modified, 1 unchanged; folders: 0 added, 0 deleted, 1 modified\n',
    );
    expect((await run('dataset', 'diff', base, ...ID, '--from', '2026-03-02')).stdout).toBe(
      'deleted          4 B  b.txt\n' +
        'deleted          1 B  dir/\\x1b[31mred\n' +
        'added            3 B  new.txt\n' +
        'v2 to v3: 1 added, 2 deleted, 0 modified, 1 unchanged; folders: 0 added, 1 deleted, 0 modified\n',
    );
    expect((await run('dataset', 'diff', base, ...ID, '--from', '3', '--to', 'head')).stdout).toBe(
      'v3 to v3: no differences in 2 files\n',
    );
  });

  test('--json', async () => {
    const document = await json('dataset', 'diff', base, ...ID, '--from', '1');

    expect(document).toMatchObject({
      datasetId: DATASET,
      fromVersion: 1,
      fromUploadId: linkId(0),
      toVersion: 3,
      toUploadId: linkId(2),
      changes: [
        { change: 'modified', path: 'a.txt', size: 9, what: 'content', before: { size: 5 } },
        { change: 'deleted', path: 'b.txt' },
        { change: 'deleted', path: 'dir/\u001b[31mred' },
        { change: 'added', path: 'new.txt', type: 'file', size: 3 },
      ],
      added: 1,
      deleted: 2,
      modified: 1,
      unchanged: 0,
    });
  });

  test('backwards it is the other way round', async () => {
    const document = await json('dataset', 'diff', base, ...ID, '--from', '3', '--to', '1');

    expect(document).toMatchObject({ added: 2, deleted: 1, modified: 1 });
  });

  test.each([
    [['--from', '9'], 1, /has no version 9 \(it has 1-3\)/],
    [['--from', 'x'], 2, /has no version tagged 'x' \(none of its versions has a tag\)/],
    [['--from', '2026-02-30'], 2, /there is no day 2026-02-30/],
    [['--from', '2025-01-01'], 1, /no version of 2025-01-01 or before/],
    [[], 2, /--from is missing/],
  ])('%j is told in one sentence', async (flags, status, message) => {
    const found = await run('dataset', 'diff', base, ...ID, ...flags);

    expect([found.status, found.stderr]).toEqual([status, expect.stringMatching(message)]);
  });

  test('a damaged manifest fails before anything is printed', async () => {
    writeFileSync(join(folder, 'store/uploads', linkId(2), 'manifest.json.gz'), 'damaged');

    const document = await json('dataset', 'diff', base, ...ID, '--from', '1');

    expect(document).toMatchObject({ error: { code: 'integrity' }, status: 1 });
  });
});

describe('restore --dataset-id', () => {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

  test('the newest version, one by its number, or one by its day', async () => {
    expect((await run('restore', base, 'head', '--all', ...ID, '-q')).status).toBe(0);
    expect((await run('restore', base, 'one', '--all', ...ID, '--version', '1', '-q')).status).toBe(0);
    const byDay = await json('restore', base, 'two', '--all', ...ID, '--as-of', '2026-03-02', '-q');

    expect([read('head/a.txt'), read('head/new.txt')]).toEqual(['alpha two', 'new']);
    expect(readdirSync(join(folder, 'head')).sort()).toEqual(['a.txt', 'new.txt']);
    expect([read('one/a.txt'), read('one/b.txt')]).toEqual(['alpha', 'beta']);
    expect([read('two/a.txt'), read('two/b.txt')]).toEqual(['alpha two', 'beta']);
    expect(byDay).toMatchObject({ datasetId: DATASET, version: 2, uploadId: linkId(1) });
  });

  // Version 1 is a full listing, version 3 a delta.
  test.each([1, 3])('version %i is not restored from a manifest that its record does not name', async (version) => {
    const uploadId = linkId(version - 1);
    const key = `uploads/${uploadId}/manifest.json.gz`;
    const manifest = made.manifests[version - 1] ?? {};
    const manifestBytes = made.objects.get(key) ?? Buffer.alloc(0);
    const another = gzipSync(gunzipSync(manifestBytes), { level: 1 });
    writeFileSync(join(folder, 'store', key), another);
    const restored = (): Promise<CommandRun> =>
      run('restore', base, 'out', '--all', ...ID, '--version', String(version), '-q');

    const refused = await restored();
    const isMade = existsSync(join(folder, 'out'));
    const document = recordDocument({ version, uploadId, manifest, manifestBytes });
    const replacementSha256 = createHash('sha256').update(another).digest('hex');
    writeFileSync(join(folder, 'store', recordKey(version)), recordBytes({ ...document, replacementSha256 }));
    const replaced = await restored();

    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is not the one that was recorded') });
    expect(isMade).toBe(false);
    expect(replaced.status).toBe(0);
  });

  test('--bucket and --prefix name the base as well', async () => {
    expect((await run('restore', 'out', '--all', '-b', base, ...ID, '-q')).status).toBe(0);
    expect(read('out/new.txt')).toBe('new');
  });

  test.each([
    [[...ID, '--version', '1', '--as-of', '2026-01-01'], /--version cannot be combined with --as-of/],
    [[...ID, '--upload-id', linkId(0)], /--dataset-id cannot be combined with --upload-id/],
    [[...ID, '--as-of', '3'], /--as-of wants a day/],
    [[...ID, '--as-of', '2026-02-30'], /there is no day/],
    [['--dataset-id', '../x'], /cannot be used/],
  ])('%j is a usage error', async (flags, message) => {
    const { status, stderr } = await run('restore', base, 'out', '--all', ...flags);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('an upload URL with it is a usage error', async () => {
    const { status, stderr } = await run('restore', `${base}/uploads/${linkId(0)}`, 'out', '--all', ...ID);

    expect([status, stderr]).toEqual([2, expect.stringMatching(/is an upload, and datasets lie above/)]);
  });

  test('a version that is not there is told with those that are', async () => {
    const { status, stderr } = await run('restore', base, 'out', '--all', ...ID, '--version', '7');

    expect([status, stderr]).toEqual([1, expect.stringMatching(/has no version 7 \(it has 1-3\)/)]);
  });
});

describe('dataset prune', () => {
  test('--dry-run tells what would happen, and does nothing', async () => {
    const before = files();

    const { status, stdout } = await run('dataset', 'prune', base, ...ID, '--keep-last', '1', '--dry-run');

    expect([status, files()]).toEqual([0, before]);
    expect(stdout).toMatch(
      /dataset made-00000000\n {2}keep +1 version: 3\n {12}v3: latest\n {2}retire +2 versions: 1-2\n {2}rewrite +the manifest of 3, to be complete\n {2}mark +6 objects, .*: deleted by a prune after 20.*\+00:00\nNothing was changed \(--dry-run\)/,
    );
  });

  test('--dry-run says why versions stay, newest first', async () => {
    const argv = ['dataset', 'prune', base, ...ID, '--keep-last', '1', '--keep-within', '1d', '--dry-run'];

    expect((await run(...argv, '--keep-hourly', '2')).stdout).toMatch(
      /keep +2 versions: 2-3\n {12}v3: hourly, within, latest\n {12}v2: hourly, within\n {2}retire +1 version: 1\n/,
    );
    expect(await json(...argv, '--keep-monthly', '1')).toMatchObject({
      kept: [
        { version: 2, reasons: ['within'] },
        { version: 3, reasons: ['monthly', 'within', 'latest'] },
      ],
      retired: [{ version: 1 }],
    });
  });

  test('does what the dry run said', async () => {
    const dry = await json('dataset', 'prune', base, ...ID, '--keep-last', '1', '--dry-run');
    const real = await json('dataset', 'prune', base, ...ID, '--keep-last', '1', '--force');

    for (const key of ['retired', 'kept', 'compacted', 'deletedObjects', 'deletedBytes', 'abandonedUploads'])
      expect([key, real[key]]).toEqual([key, dry[key]]);
    expect(real).toMatchObject({
      status: 0,
      datasetId: DATASET,
      retired: [{ version: 1, uploadId: linkId(0) }, { version: 2 }],
      kept: [{ version: 3 }],
      compacted: [3],
      marked: { objects: 6, freedFrom: expect.stringMatching(/^20.*Z$/) },
      deletedObjects: 0,
      failed: [],
      earlyDeletion: { costUsd: 0, byClass: [] },
    });
    expect(await json('dataset', 'versions', base, ...ID)).toMatchObject({
      versions: [{ version: 3, listing: 'full' }],
    });
    expect((await run('restore', base, 'out', '--all', ...ID, '-q')).status).toBe(0);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['a.txt', 'new.txt']);
    expect((await run('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes')).stdout).toEqual(
      expect.stringMatching(
        new RegExp(
          `^nothing to prune: dataset ${DATASET} keeps 3\\n {2}waiting +6 objects, .*: deleted by a prune after`,
        ),
      ),
    );
    expect(await json('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes', '--instant')).toMatchObject({
      deletedObjects: 6,
      marked: { objects: 0, freedFrom: null },
    });
    expect((await run('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes')).stdout).toBe(
      `nothing to prune: dataset ${DATASET} keeps 3\n`,
    );
  });

  test('removes temp files of writers that were killed a day ago, and says so', async () => {
    const upload = join(folder, 'store', 'uploads', linkId(2));
    const [dead, young] = ['0123456789abcdef', 'fedcba9876543210'].map((hex) => join(upload, `.archiver~tmp-${hex}`));
    for (const path of [dead, young]) writeFileSync(path ?? '', 'half');
    utimesSync(dead ?? '', 1e9, 1e9);
    const argv = ['dataset', 'prune', base, ...ID, '--keep-last', '9'];

    const dry = await run(...argv, '--dry-run');
    const real = await json(...argv, '--yes');

    expect(dry.stdout).toMatch(/^ {2}remove +1 unfinished write, 4 B$/m);
    expect(real).toMatchObject({ status: 0, unfinishedWrites: { objects: 1, bytes: 4 }, deletedObjects: 0 });
    expect([existsSync(dead ?? ''), existsSync(young ?? '')]).toEqual([false, true]);
    expect((await run(...argv, '--yes')).stdout).toMatch(/^nothing to prune/);
  });

  test('without a terminal it wants --yes or --force, before it reads anything', async () => {
    const { status, stderr } = await run('dataset', 'prune', 's3://nowhere-bucket', ...ID, '--keep-last', '1');

    expect([status, stderr]).toEqual([2, expect.stringMatching(/no terminal to ask on[^]*--dry-run .* or --yes/)]);
  });

  test.each([
    ['n', 2, 3],
    ['y', 0, 1],
  ])('on a terminal it shows the plan and asks; the answer %s', async (answer, expected, versions) => {
    const argv = ['dataset', 'prune', base, ...ID, '--keep-last', '1'];

    const { status, stderr } = await runCommand({ root, folder, answers: [answer] }, argv);

    expect(status).toBe(expected);
    expect(stderr).toMatch(/retire +2 versions: 1-2[^]*Delete this for good\? \[y\/N\]/);
    expect(await json('dataset', 'versions', base, ...ID)).toMatchObject({ versions: { length: versions } });
  });

  test.each([
    [[], /one of --keep-last, .* or --keep-yearly is missing/],
    [['--keep-last', '0'], /--keep-last wants a whole number of at least 1|--keep-last/],
    [['--keep-last', '1', '--keep-daily', '0'], /--keep-daily/],
    [['--keep-last', '1', '--abandoned-after', 'x'], /--abandoned-after/],
    [['--keep-last', '1', '--grace', '1h'], /--grace is at least 2h/],
    [['--keep-last', '1', '--grace', '3h', '--instant'], /--instant cannot be combined with --grace/],
  ])('%j is refused', async (flags, message) => {
    const before = files();

    const { status, stderr } = await run('dataset', 'prune', base, ...ID, '--yes', ...flags);

    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(files()).toEqual(before);
  });

  test('an unknown dataset removes nothing', async () => {
    const { status, stderr } = await run(
      'dataset',
      'prune',
      base,
      '--dataset-id',
      'made-1',
      '--keep-last',
      '1',
      '--yes',
    );

    expect([status, stderr]).toEqual([1, expect.stringMatching(/no dataset made-1 found/)]);
  });

  test('an upload that never became a version is named', async () => {
    rmSync(join(folder, 'store', recordKey(3)));

    const argv = ['dataset', 'prune', base, ...ID, '--keep-last', '2', '--abandoned-after', '0', '--dry-run'];

    expect((await run(...argv)).stdout).toMatch(
      new RegExp(`abandoned 1 upload that never became a version: ${linkId(2)}`),
    );
  });
});

describe('dataset prune on S3', () => {
  let server: MemoryS3 | undefined;
  beforeAll(async () => {
    useTestCredentials();
    server = await startMemoryS3('bucket');
  });
  afterAll(() => server?.close());

  let settings: Record<string, string> = {};
  const env = (): Record<string, string> => ({ AWS_ENDPOINT_URL: server?.endpoint ?? '' });
  const put = (age: number, storageClass: string): void => {
    const bucket = new Map(
      [...made.objects].map(([key, body]) => {
        const headers: Record<string, string> = key.endsWith('.zst') ? { 'x-amz-storage-class': storageClass } : {};
        return [`p/${key}`, { body, etag: 'e', modified: new Date(Date.now() - age * 86_400_000), headers }];
      }),
    );
    server?.buckets.set('bucket', bucket);
  };
  const s3 = (...argv: string[]): Promise<CommandRun> =>
    runCommand({ root, folder, env: { ...env(), ...settings } }, [
      'dataset',
      'prune',
      's3://bucket/p',
      ...ID,
      '--keep-last',
      '1',
      ...argv,
    ]);

  test('what early deletion of 30-day-old GLACIER data costs is shown before anything goes', async () => {
    put(30, 'GLACIER');

    const { status, stdout } = await s3('--dry-run');

    expect(status).toBe(0);
    expect(stdout).toMatch(/fee +less than \$0.01: 2 objects, .* in GLACIER before 90 days are over/);
    expect(stdout).toMatch(/deletion costs less than \$0.01 in all, at AWS list prices of 2026-11-20 for us-\w+-\d/);
    const document = JSON.parse((await s3('--dry-run', '--json')).stdout) as Json;
    expect(document['earlyDeletion']).toMatchObject({
      byClass: [{ storageClass: 'GLACIER', objects: 2, minimumDays: 90 }],
    });
    expect((document['earlyDeletion'] as { costUsd: number }).costUsd).toBeGreaterThan(0);
  });

  test('prices of the config file are said to be in the cost of early deletion', async () => {
    put(30, 'GLACIER');
    settings = { ARCHIVER_PRICE_DISCOUNT: '10%' };

    const { stdout } = await s3('--dry-run');
    settings = {};

    expect(stdout).toMatch(/in all, at AWS list prices of \S+ for \S+; 10% off the list/);
  });

  test('a class without a known price is said to be unknown', async () => {
    put(1, 'FROZEN');

    const { stdout } = await s3('--dry-run');

    expect(stdout).toMatch(/fee +unknown: 2 objects, .* in FROZEN, a class that is not known/);
    expect(stdout).toMatch(/deletion costs an unknown amount in all/);
  });

  test('prunes cold chunks without reading them', async () => {
    put(1, 'DEEP_ARCHIVE');

    const { status, stderr } = await s3('--yes', '--json');

    expect([status, stderr]).toEqual([0, expect.stringContaining('DEEP_ARCHIVE before 180 days')]);
    expect([...(server?.buckets.get('bucket')?.keys() ?? [])].filter((key) => key.includes('datasets')).sort()).toEqual(
      [1, 2, 3].map((version) => `p/${recordKey(version)}`), // two of them tombstones
    );
    expect(server?.buckets.get('bucket')?.get(`p/uploads/${linkId(2)}/manifest.json.gz`)?.headers).not.toHaveProperty(
      'x-amz-storage-class',
    );
  });
});

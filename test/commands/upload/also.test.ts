// `upload` and `sync` with --also: one reading, several stores, each of which commits by itself.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { allKeys } from '../../support/make-dataset.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  mkdirSync(join(folder, 'photos'));
  change('a', 9000);
});

const env = { NO_COLOR: '1', AWS_REGION: 'us-east-1' };
const run = async (...argv: readonly string[]): Promise<CommandRun> => await runCommand({ root, folder, env }, argv);
const change = (name: string, size = 500): void => writeFileSync(join(folder, 'photos', name), randomBytes(size));
const sync = async (...argv: readonly string[]): Promise<CommandRun> =>
  await run('sync', 'photos', '--dataset-id', 'photos', ...argv);
const keysIn = (name: string): Promise<string[]> => allKeys(fileStore(join(folder, name)));
const versionsIn = async (name: string): Promise<readonly string[]> =>
  (await keysIn(name)).filter((key) => key.startsWith('datasets/')).map((key) => key.slice(-7, -5));
/** A store that cannot be written to. */
const broken = (name: string): void => writeFileSync(join(folder, name), 'no folder');
const mended = (name: string): void => rmSync(join(folder, name));
const sameStores = (a: string, b: string): string =>
  execFileSync('diff', ['-r', join(folder, a), join(folder, b)], { encoding: 'utf8' });

async function server(...buckets: readonly string[]): Promise<MemoryS3> {
  const s3 = await startMemoryS3(...buckets);
  onTestFinished(() => s3.close());
  return s3;
}

const rowsOf = ({ stdout }: CommandRun) => json(stdout)['alsoStores'] as readonly Record<string, unknown>[];

describe('each store has the version', () => {
  test('byte for byte, of a full upload and of what changed after it', async () => {
    const first = await sync('./main', '--also', './nas', '--also', './third');
    change('b');
    const second = await sync('./main', '--also', './nas', '--also', './third', '--json');

    expect([first.status, second.status]).toEqual([0, 0]);
    expect([sameStores('main', 'nas'), sameStores('main', 'third')]).toEqual(['', '']);
    expect(rowsOf(second)).toMatchObject([
      { storeName: `file://${folder}/nas`, copyState: 'made', objects: 2 },
      { storeName: `file://${folder}/third`, copyState: 'made' },
    ]);
    expect((await run('verify', './nas', '--deep')).status).toBe(0);
  });

  test('and what it builds on, where that store was not there before', async () => {
    await sync('./main');
    change('b');

    const ran = await sync('./main', '--also', './nas', '--json');

    expect([ran.status, await versionsIn('nas')]).toEqual([0, ['02']]);
    rmSync(join(folder, 'main'), { recursive: true });
    expect((await run('restore', './nas', 'out', '--all')).status).toBe(0);
    expect(execFileSync('diff', ['-r', join(folder, 'photos'), join(folder, 'out')], { encoding: 'utf8' })).toBe('');
  });

  test('also where a sync finds nothing to do', async () => {
    await sync('./main');

    const ran = await sync('./main', '--also', './nas', '--json');
    const again = await sync('./main', '--also', './nas', '--json');

    expect(json(ran.stdout)).toMatchObject({ noChanges: true, alsoStores: [{ copyState: 'made' }] });
    expect(json(again.stdout)).toMatchObject({ noChanges: true, alsoStores: [{ copyState: 'there', objects: 0 }] });
    expect(sameStores('main', 'nas')).toBe('');
  });

  test('of files that are objects of their own', async () => {
    const ran = await run('upload', 'photos', './main', '--also', './nas', '--direct-upload');

    expect([ran.status, sameStores('main', 'nas')]).toEqual([0, '']);
  });

  test('of stdin', async () => {
    const argv = ['upload', '-', './main', '--name', 'dump.sql', '--also', './nas'];

    const ran = await runCommand({ root, folder, env, input: 'select 1' }, argv);

    expect([ran.status, sameStores('main', 'nas')]).toEqual([0, '']);
  });

  test('below its writer', async () => {
    const ran = await sync('./main', '--also', './nas', '--writer-id', 'w1');

    expect([ran.status, sameStores('main', 'nas')]).toEqual([0, '']);
    expect((await keysIn('nas')).every((key) => key.startsWith('writers/w1/'))).toBe(true);
  });

  test('and is named in the config file, with an access of its own', async () => {
    const [one, two] = [await server('bucket'), await server('bucket')];
    writeFileSync(
      join(folder, '.archiver.yaml'),
      `stores:\n  cloud:\n    url: s3://bucket/main\n    endpointUrl: ${one.endpoint}\n  nas:\n    url: s3://bucket/nas\n    endpointUrl: ${two.endpoint}\nsync:\n  also:\n    - nas\n`,
    );

    const ran = await sync('cloud:', '--json');

    expect([ran.status, rowsOf(ran)]).toMatchObject([0, [{ storeName: 'nas:', copyState: 'made' }]]);
    const keys = (s3: MemoryS3, prefix: string) =>
      [...(s3.buckets.get('bucket')?.keys() ?? [])].map((key) => key.replace(prefix, ''));
    expect(keys(two, 'nas/').sort()).toEqual(keys(one, 'main/').sort());
  });

  test('but not its own stores, where they lie in the source', async () => {
    const ran = await sync('./photos/main', '--also', './photos/nas', '--json');

    const again = await sync('./photos/main', '--also', './photos/nas', '--json');

    expect([ran.status, json(ran.stdout)['files'], json(again.stdout)['files']]).toEqual([0, 1, 1]);
    expect(json(again.stdout)['skipped']).toMatchObject([{ path: 'main/' }, { path: 'nas/' }]);
  });
});

test('what is sent is read once: no chunk is read back', async () => {
  const s3 = await server('main', 'nas');
  const access = ['--endpoint-url', s3.endpoint];
  change('b', 50_000);

  const ran = await sync('s3://main', '--also', 's3://nas', ...access);

  expect([ran.status, ran.stderr]).toEqual([0, expect.any(String)]);
  const chunkGets = s3.requests.filter(({ operation, path }) => operation === 'GetObject' && path.includes('.tar.zst'));
  const chunkPuts = s3.requests.filter(({ operation, path }) => operation === 'PutObject' && path.includes('.tar.zst'));
  expect(chunkGets).toEqual([]);
  expect(new Set(chunkPuts.map(({ path }) => path.split('/')[1]))).toEqual(new Set(['main', 'nas']));
  const objects = (bucket: string) =>
    [...(s3.buckets.get(bucket) ?? [])].map(([key, { body, headers }]) => ({ key, body, headers }));
  expect(objects('nas')).toEqual(objects('main'));
});

describe('the other store fails', () => {
  test('the version stands, the status is 3, and the command that is named catches up', async () => {
    broken('nas');

    const ran = await sync('./main', '--also', './nas', '--also', './third');

    expect([ran.status, await versionsIn('main'), await versionsIn('third')]).toEqual([3, ['01'], ['01']]);
    const [, command = ''] = /to catch up: archiver (.*)/.exec(ran.stdout) ?? [];
    mended('nas');
    expect((await run(...command.split(' '))).status).toBe(0);
    expect(sameStores('main', 'nas')).toBe('');
    expect(ran.stderr).toContain('! file://');
  });

  test('in the middle: it is told once, and the copy in the end sends what it lacks', async () => {
    const s3 = await server('nas');
    for (let at = 0; at < 4; at++) change(`f${at}`, 40_000);
    let puts = 0;
    s3.rules.answer = (operation, { key }) =>
      operation === 'PutObject' && key.endsWith('.zst') && ++puts === 2 ? errorAnswer(403, 'AccessDenied') : undefined;

    const ran = await sync(
      './main',
      '--also',
      's3://nas',
      '--endpoint-url',
      s3.endpoint,
      '--json',
      '--progress-format',
      'text',
    );

    expect([ran.status, rowsOf(ran)]).toMatchObject([0, [{ copyState: 'made' }]]);
    expect(ran.stderr.match(/gets nothing while this runs/g)).toHaveLength(1);
    expect([...(s3.buckets.get('nas')?.keys() ?? [])].sort()).toEqual([...(await keysIn('main'))].sort());
  });

  test('interrupted after the commit: it says what is committed, and the same call goes on', async () => {
    const s3 = await server('nas');
    const argv = [
      'sync',
      'photos',
      './main',
      '--dataset-id',
      'photos',
      '--also',
      's3://nas',
      '--endpoint-url',
      s3.endpoint,
    ];
    const stop = new AbortController();
    s3.rules.answer = (operation, { key }) => {
      if (operation === 'PutObject' && key.endsWith('manifest.json.gz')) stop.abort();
      return undefined;
    };

    const stopped = await runCommand({ root, folder, env, signal: stop.signal }, argv);
    delete s3.rules.answer;
    const again = await run(...argv, '--json');

    expect([stopped.status, await versionsIn('main')]).toEqual([130, ['01']]);
    expect(stopped.stderr).toMatch(/v1 is committed .*, and not in s3:\/\/nas: archiver copy file:/);
    expect([again.status, rowsOf(again)]).toMatchObject([0, [{ copyState: 'made' }]]);
    expect([...(s3.buckets.get('nas')?.keys() ?? [])].sort()).toEqual([...(await keysIn('main'))].sort());
  });

  test('a store that was emptied is not filled again', async () => {
    await sync('./main', '--also', './nas');
    rmSync(join(folder, 'nas'), { recursive: true });
    change('b');

    const ran = await sync('./main', '--also', './nas');

    expect([ran.status, await versionsIn('main'), await keysIn('nas')]).toEqual([3, ['01', '02'], []]);
    expect(ran.stdout).toContain('not mounted, emptied or another bucket?');
  });
});

describe('the first store fails', () => {
  test('the next one gets the version, and the first one what it lacks when it is there again', async () => {
    await sync('./main', '--also', './nas');
    execFileSync('mv', [join(folder, 'main'), join(folder, 'away')]);
    broken('main');
    change('b');

    const ran = await sync('./main', '--also', './nas', '--also', './third', '--json', '--progress-format', 'text');
    mended('main');
    execFileSync('mv', [join(folder, 'away'), join(folder, 'main')]);
    change('c');
    const after = await sync('./main', '--also', './nas');

    expect(ran.status).toBe(3);
    expect(rowsOf(ran)).toMatchObject([
      { storeName: `file://${folder}/third`, copyState: 'made' },
      {
        storeName: `file://${folder}/main`,
        copyState: 'failed',
        hint: expect.stringContaining('archiver copy file://'),
      },
    ]);
    expect(ran.stderr).toContain('the source is read again');
    expect([after.status, await versionsIn('main')]).toEqual([0, ['01', '02', '03']]);
    expect(after.stderr).toContain('lacked v2 of photos: copied from');
    expect(sameStores('main', 'nas')).toBe('');
  });

  test('while it is sent to, the same', async () => {
    const s3 = await server('main');
    s3.rules.answer = (operation, { key }) =>
      operation === 'PutObject' && key.endsWith('.zst') ? errorAnswer(403, 'AccessDenied') : undefined;

    const ran = await sync('s3://main', '--also', './nas', '--endpoint-url', s3.endpoint);

    expect([ran.status, await versionsIn('nas')]).toEqual([3, ['01']]);
    expect((await run('verify', './nas', '--deep')).status).toBe(0);
  });

  test('but what is encrypted there is not made in the clear', async () => {
    const s3 = await server('main');
    const argv = ['s3://main', '--endpoint-url', s3.endpoint];
    await sync(...argv, '--kms-key-id', 'alias/k');
    s3.rules.answer = () => errorAnswer(403, 'InvalidAccessKeyId');

    const ran = await sync(...argv, '--also', './nas');

    expect([ran.status, await keysIn('nas')]).toEqual([1, []]);
    expect(ran.stderr).toContain('is encrypted in s3://main, and would not be in');
  });

  test('and the others as well: nothing was made, and the failure is that of the first', async () => {
    broken('main');
    broken('nas');

    const ran = await sync('./main', '--also', './nas');

    expect([ran.status, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(/✗ cannot list \S+main/);
  });

  test('what keeps the upload from beginning is none of its failures', async () => {
    await sync('./main', '--also', './nas');
    rmSync(join(folder, 'photos', 'a'));

    const shrunk = await sync('./main', '--also', './nas', '--track-deletes', '--force');
    const missing = await run('sync', 'nowhere', './main', '--also', './nas');

    expect([shrunk.status, missing.status, await versionsIn('nas')]).toEqual([4, 1, ['01']]);
  });
});

describe('a dry run', () => {
  test('says what goes where and writes nothing', async () => {
    const s3 = await server('bucket');
    await sync('./main');
    change('b');

    const ran = await sync('./main', '--also', 's3://bucket', '--endpoint-url', s3.endpoint, '--dry-run', '--json');

    expect([ran.status, await versionsIn('main'), s3.buckets.get('bucket')?.size]).toEqual([0, ['01'], 0]);
    const [row] = rowsOf(ran);
    // The new chunk, and of the version before its chunk and manifest.
    expect(row).toMatchObject({ copyState: 'planned', objects: 3, requests: { put: 0 } });
    expect(row).toHaveProperty('monthlyUsd');
  });

  test('asks budgets about all of it together', async () => {
    const s3 = await server('bucket', 'nas');
    await run('budget', 'set', 'lab', '--volume', '0.000015');
    const argv = ['s3://bucket', '--endpoint-url', s3.endpoint, '--project', 'lab'];

    const one = json((await sync(...argv, '--dry-run', '--json')).stdout);
    const both = json((await sync(...argv, '--also', 's3://nas', '--dry-run', '--json')).stdout);
    const refused = await sync(...argv, '--also', 's3://nas');

    expect([one['wouldRefuse'], both['wouldRefuse'], refused.status]).toEqual([false, true, 4]);
    expect([s3.buckets.get('bucket')?.size, s3.buckets.get('nas')?.size]).toEqual([0, 0]);
  });
});

describe('refused, and nothing is sent', () => {
  test.each([
    ['the same store', ['--also', './main'], 'are one store'],
    ['one twice', ['--also', './nas', '--also', './nas'], 'are one store'],
    ['one in the other', ['--also', './main/nas'], 'one lies in the other'],
    ['an upload', ['--also', './nas/uploads/20251114-093012-1a2b3c4d'], 'name the place above uploads/'],
    ['no store', ['--also', 'nas'], 'is no store'],
  ])('%s', async (_what, flags, text) => {
    const ran = await sync('./main', ...flags);

    expect([ran.status, ran.stdout, await keysIn('main'), await keysIn('nas')]).toEqual([2, '', [], []]);
    expect(ran.stderr).toContain(text);
  });

  test('a folder for what a key encrypts, also where the dataset says so', async () => {
    const s3 = await server('main');
    const argv = ['s3://main', '--endpoint-url', s3.endpoint];

    const said = await sync(...argv, '--kms-key-id', 'alias/k', '--also', './nas');
    await sync(...argv, '--kms-key-id', 'alias/k');
    change('b');
    const kept = await sync(...argv, '--also', './nas');

    expect([said.status, kept.status, await keysIn('nas')]).toEqual([2, 2, []]);
    expect(kept.stderr).toContain('no key would encrypt them');
  });

  test('a history that only the other store has', async () => {
    await sync('./nas');

    const ran = await sync('./main', '--also', './nas');

    expect([ran.status, await keysIn('main')]).toEqual([2, []]);
    expect(ran.stderr).toContain('brings them over first');
  });

  test('removing the source', async () => {
    const ran = await run('upload', 'photos', './main', '--also', './nas', '--remove-source-after', 'verify', '--yes');

    expect([ran.status, await keysIn('main')]).toEqual([2, []]);
  });
});

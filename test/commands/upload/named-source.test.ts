// `archiver upload raw:lab STORE`: objects of a bucket that the config file names, and how fast they are read.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';
/** Where the objects are, and where they go. */
let [from, to]: MemoryS3[] = [];

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  [from, to] = [await server('raw', 'second'), await server('raw', 'archive')];
  writeFileSync(join(folder, 'credentials'), '[lab]\naws_access_key_id = LABKEY\naws_secret_access_key = secret\n');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const raw = { url: 's3://raw', endpointUrl: `'${from?.endpoint}'`, profile: 'lab' };
  config({ raw, disk: { url: 'file:///mnt/disk' } });
});

async function server(...buckets: readonly string[]): Promise<MemoryS3> {
  const s3 = await startMemoryS3(...buckets);
  onTestFinished(() => s3.close());
  return s3;
}

function config(stores: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  const lines = Object.entries(stores).flatMap(([name, settings]) => [
    `  ${name}:`,
    ...Object.entries(settings).map(([key, value]) => `    ${key}: ${value}`),
  ]);
  writeFileSync(join(folder, '.archiver.yaml'), `stores:\n${lines.join('\n')}\n`);
}

function put(s3: MemoryS3 | undefined, key: string, body: Buffer | string): void {
  const bytes = Buffer.from(body);
  const etag = createHash('md5').update(bytes).digest('hex');
  s3?.buckets.get('raw')?.set(key, { body: bytes, etag, modified: new Date('2025-03-04T05:06:07Z'), headers: {} });
}

const run = async (...argv: readonly string[]): Promise<CommandRun> =>
  await runCommand(
    { root, folder, env: { NO_COLOR: '1', AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: to?.endpoint ?? '' } },
    argv,
  );
const datasets = (): readonly string[] => readdirSync(join(folder, 'store', 'datasets'));
const store = (): string => `file://${join(folder, 'store')}`;
const getsOf = (s3: MemoryS3 | undefined) => s3?.requests.filter(({ operation }) => operation === 'GetObject') ?? [];

describe('a source that the config file names', () => {
  test('is read from its server with its profile, and comes back', async () => {
    put(from, 'lab/a', 'right');
    put(to, 'lab/a', 'of the server that holds STORE');

    const ran = await run('upload', 'raw:lab', './store');

    expect([ran.status, ran.stderr]).toEqual([0, expect.not.stringContaining('failed')]);
    await run('restore', './store', 'out', '--all');
    expect(readFileSync(join(folder, 'out', 'a'), 'utf8')).toBe('right');
    expect(getsOf(to)).toEqual([]);
    expect(getsOf(from).map(({ headers }) => headers['authorization'])).toEqual([
      expect.stringContaining('Credential=LABKEY/'),
    ]);
  });

  test('is the same dataset by its URL, and by flags that say the same', async () => {
    put(from, 'lab/a', 'right');
    await run('upload', 'raw:lab/', './store');

    const byUrl = await run('sync', 's3://raw/lab', store(), '--json');
    const flags = ['--source-endpoint-url', from?.endpoint ?? '', '--source-profile', 'lab'];
    config({});
    const byFlags = await run('sync', 's3://raw/lab', store(), '--json', ...flags);

    expect([json(byUrl.stdout), json(byFlags.stdout)]).toMatchObject([{ noChanges: true }, { noChanges: true }]);
    expect(datasets()).toHaveLength(1);
  });

  test('is still read from there where another store takes the place of the first', async () => {
    put(to, 'lab/a', 'right');
    config({ second: { url: 's3://second', endpointUrl: `'${from?.endpoint}'` } });
    writeFileSync(join(folder, 'store'), 'no folder');

    const ran = await run('upload', 's3://raw/lab', store(), '--also', 'second:');

    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining('second:')]);
    expect(getsOf(to).map(({ path }) => path)).toEqual([expect.stringContaining('/raw/lab/a')]);
  });

  test('goes on where it was interrupted, and refuses objects of another server', async () => {
    for (let at = 10; at < 34; at++) put(from, `lab/${at}`, randomBytes(2 ** 20));
    for (let at = 10; at < 34; at++) put(to, `lab/${at}`, 'other');
    const argv = ['upload', 'raw:lab', './store', '--shard-count', '16'];
    if (from)
      from.rules.answer = (operation, { key }) =>
        operation === 'GetObject' && key === 'lab/33' && sent() ? errorAnswer(400, 'InvalidArgument') : undefined;
    const failed = await run(...argv);
    if (from) from.rules.answer = () => undefined;

    const elsewhere = await run(...argv, '--resume', '--source-endpoint-url', to?.endpoint ?? '');
    const before = getsOf(from).length;
    const resumed = await run('resume', '--limit-download', '1GiB');

    expect([failed.status, elsewhere.status, resumed.status]).toEqual([1, 2, 0]);
    expect(elsewhere.stderr).toContain('other settings: --source-endpoint-url');
    expect(getsOf(from).length - before).toBeLessThan(12);
    expect(getsOf(to)).toEqual([]);
  });

  test.each([
    ['a store that is a folder', 'disk:lab', 'the store disk is a folder'],
    ['what a folder here may be as well', 'raw:here', 'write ./raw:here for the first, s3://raw/here for the second'],
    ['other sources beside it', './store raw:lab', 'archived by itself'],
  ])('refuses %s', async (_what, sources, text) => {
    mkdirSync(join(folder, 'raw:here'));

    const ran = await run('upload', ...sources.split(' '), 's3://archive');

    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining(text)]);
    expect(from?.requests).toEqual([]);
  });
});

const sent = (): boolean => readdirSync(join(folder, 'store'), { recursive: true }).join().includes('chunk');

describe('--limit-download', () => {
  test('limits what is read of the source, and not what STORE is asked for', async () => {
    put(from, 'lab/a', randomBytes(3 * 2 ** 20));
    const times = new Map<string, number>();
    const noted = (operation: string): undefined =>
      void times.set(operation, times.get(operation) ?? performance.now());
    for (const s3 of [from, to]) if (s3) s3.rules.answer = noted;

    const ran = await run('upload', 'raw:lab', 's3://archive', '--limit-download', '1MiB/s');
    const takenMs = (times.get('PutObject') ?? 0) - (times.get('GetObject') ?? 0);
    const again = performance.now();
    rmSync(join(folder, 'home', 'manifest-cache'), { recursive: true });
    const synced = await run('sync', 'raw:lab', 's3://archive', '--limit-download', '60B/s', '--json');

    expect([ran.status, json(synced.stdout)]).toMatchObject([0, { noChanges: true }]);
    // What passes in the first second does not wait.
    expect(takenMs).toBeGreaterThan(1800);
    expect(performance.now() - again).toBeLessThan(3000);
  });

  test('is refused for a folder, also by a resume', async () => {
    mkdirSync(join(folder, 'photos'));

    const ran = await run('upload', './photos', './store', '--limit-download', '1MiB/s');

    expect([ran.status, ran.stderr]).toEqual([
      2,
      expect.stringContaining('--limit-download can do nothing for a SOURCE'),
    ]);
  });
});

// What flags change that no other test looks at (docs/spec-status.md).
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { program } from '../../src/commands/index.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';

beforeAll(useTestCredentials);
beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
});

const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, env, input: '' }, argv);
const done = async (...argv: readonly string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await run([...argv, '--json', '--quiet']);
  expect([status, stderr]).toEqual([0, '']);
  return json(stdout);
};
const write = (name: string, content: string): void => writeFileSync(join(folder, 'data', name), content);

describe('--profile', () => {
  let server: MemoryS3;
  let env: Record<string, string> = {};
  beforeEach(async () => {
    server = await startMemoryS3('bucket');
    onTestFinished(() => server.close());
    const config = join(folder, 'aws-config');
    const keys = ['aws_access_key_id = a', 'aws_secret_access_key = b', 'region = us-east-1'];
    writeFileSync(config, ['[profile lab]', ...keys, `endpoint_url = ${server.endpoint}`, ''].join('\n'));
    env = { AWS_CONFIG_FILE: config, AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') };
    // The SDK reads the keys, and looks into the variables of the process.
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  test.each([
    'analyze s3://bucket/p',
    'access-check s3://bucket/p --format json',
    'balance s3://bucket/p/uploads/20260304-050607-1a2b3c4d',
    'fleet status s3://bucket/p',
    'fleet lock-status s3://bucket/p',
    'fleet monitor s3://bucket/p --once --region eu-west-1',
  ])('%s asks the server of the profile, and one that nobody has is named', async (words) => {
    const argv = words.split(' ');

    await run([...argv, '--profile', 'lab'], env);
    const unknown = await run([...argv, '--profile', 'nobody'], env);

    expect(server.requests).not.toEqual([]);
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('nobody') as string });
  });
});

test('access-check --format json is --json', async () => {
  const server = await startMemoryS3('bucket');
  onTestFinished(() => server.close());
  const env = { AWS_ENDPOINT_URL: server.endpoint, AWS_REGION: 'us-east-1' };

  const { status, stdout } = await run(['access-check', 's3://bucket/p', '--format', 'json'], env);

  expect(status).toBe(0);
  expect(json(stdout)).toMatchObject({ schemaVersion: 2, overall: expect.any(String) as string });
});

test('upload --tier-cold-days and --tier-archive-days say from when on a class is cold', async () => {
  const server = await startMemoryS3('bucket');
  onTestFinished(() => server.close());
  vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  const now = Date.now() / 1000;
  write('old', 'not read for twenty days');
  utimesSync(join(folder, 'data', 'old'), now - 20 * 86_400, now);
  const classOf = async (...days: readonly string[]): Promise<unknown> => {
    const argv = ['upload', './data', 's3://bucket/p', '--auto-tier', '--dry-run', ...days, '--json', '--quiet'];
    const { stdout } = await run(argv, { AWS_ENDPOINT_URL: server.endpoint, AWS_REGION: 'us-east-1' });
    return (json(stdout)['classes'] as readonly { readonly storageClass: string }[])[0]?.storageClass;
  };

  expect(await classOf()).toBe('STANDARD');
  expect(await classOf('--tier-hot-days', '10')).toBe('STANDARD_IA');
  expect(await classOf('--tier-hot-days', '10', '--tier-cold-days', '15')).toBe('GLACIER');
  const days = ['--tier-hot-days', '10', '--tier-cold-days', '12', '--tier-archive-days', '15'];
  expect(await classOf(...days)).toBe('DEEP_ARCHIVE');
});

test('fleetagent run archives as --compression-level, --shard-count and --shard-strategy say', async () => {
  for (let name = 0; name < 40; name++) write(`f${name}`, `content of ${name}`.repeat(20));
  const flags = ['--compression-level', '12', '--shard-count', '5', '--shard-strategy', 'hash'];

  await done('fleetagent', 'run', './data', './store', '--writer-id', 'nas', '--once', ...flags);

  const [{ uploadId = '' } = {}] = (await done('list', './store/writers/nas'))['uploads'] as { uploadId: string }[];
  expect(await done('info', `./store/writers/nas/uploads/${uploadId}`)).toMatchObject({
    manifest: { settings: { compression: { level: 12 }, shardCount: 5, shardStrategy: 'hash' } },
  });
});

test.each([
  ['sync', ['sync', './data', './store']],
  ['upload', ['upload', './data', './store', '--incremental']],
])('%s --ignore-ctime goes by size and modification time alone', async (_name, words) => {
  write('f', 'a file');
  await done(...words);
  chmodSync(join(folder, 'data/f'), statSync(join(folder, 'data/f')).mode & 0o7777);

  expect(await done(...words, '--ignore-ctime')).toMatchObject({ noChanges: true });
  expect(await done(...words)).toMatchObject({ noChanges: false, version: 2, referred: { files: 1 }, storedBytes: 0 });
});

test('fleetagent run --ignore-ctime does so, too', async () => {
  const run = ['fleetagent', 'run', './data', './store', '--writer-id', 'nas', '--once'];
  const uploads = async (): Promise<unknown[]> => (await done('list', './store/writers/nas'))['uploads'] as unknown[];
  write('f', 'a file');
  await done(...run);
  chmodSync(join(folder, 'data/f'), statSync(join(folder, 'data/f')).mode & 0o7777);

  await done(...run, '--ignore-ctime');
  expect(await uploads()).toHaveLength(1);
  await done(...run);
  expect(await uploads()).toHaveLength(2);
});

test('fleetagent iam-policy --output writes what it prints', async () => {
  const argv = ['fleetagent', 'iam-policy', 's3://acme/lab', '--writer-id', 'nas'];
  const { stdout } = await run(argv);

  const written = await run([...argv, '--output', 'policy.json']);

  expect(written).toMatchObject({ status: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'policy.json'), 'utf8'))).toEqual(JSON.parse(stdout));
});

test('cost benchmark-compare counts equal content once by --dedup-ratio, at the price of --storage-class', async () => {
  const compare = async (...argv: readonly string[]) => {
    const asked = ['cost', 'benchmark-compare', '--size-gb', '100', '--files', '1000', '--tool', 'aws-cli', ...argv];
    const { tools } = await done(...asked);
    return (
      tools as readonly { readonly program: string; readonly storedBytes: number; readonly monthlyUsd: number }[]
    ).filter(({ program }) => program === 'archiver')[0];
  };
  const plain = await compare();
  const dedup = await compare('--dedup-ratio', '2');
  const cold = await compare('--storage-class', 'DEEP_ARCHIVE');

  expect(Number(dedup?.storedBytes) / Number(plain?.storedBytes)).toBeCloseTo(0.5, 1);
  expect(Number(cold?.monthlyUsd)).toBeLessThan(Number(plain?.monthlyUsd) / 10);
});

test('restore keeps what it fetched, up to --cache-gb, and nothing with --all alone', async () => {
  write('one', 'one'.repeat(1000));
  const { location } = await done('upload', './data', './store');
  const cache = join(folder, 'home', 'cache');

  await done('restore', String(location), './all', '--all');
  expect(existsSync(cache)).toBe(false);
  await done('restore', String(location), './one', '--file', 'one', '--cache-gb', '1');
  expect(readdirSync(cache)).toHaveLength(1);
});

test('a shell keeps what it fetched, up to --cache-gb, which has bounds everywhere', async () => {
  write('one', 'one'.repeat(1000));
  const { location } = await done('upload', './data', './store');

  const shell = await runCommand({ root, folder, input: 'head one\nexit\n' }, [
    'shell',
    String(location),
    '--cache-gb',
    '1',
  ]);

  expect(shell).toMatchObject({ status: 0, stdout: expect.stringContaining('oneone') as string });
  expect(readdirSync(join(folder, 'home', 'cache'))).toHaveLength(1);
  for (const words of [
    ['shell', String(location)],
    ['restore', 'jobs', 'download', 'rj-12345678'],
  ])
    expect(await run([...words, '--cache-gb', '-1'])).toMatchObject({ status: 2 });
});

test('dvc status with --region on a folder says that nothing takes it there', async () => {
  expect(await run(['dvc', 'status', './data', './store', '--region', 'eu-west-1'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--region') as string,
  });
});

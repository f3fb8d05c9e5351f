// What commands refuse to write, with exit 4 and the flag that goes on (rules.md#plain-replaces, rules.md#no-emptiness,
// rules.md#forgotten-store).
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
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
  for (let index = 0; index < 6; index++) writeFileSync(join(folder, 'data', `file-${index}`), `content ${index}`);
});

const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, env, input: '' }, [...argv, '--quiet']);
const place = (): string => join(folder, 'mnt', 'store');

const WAYS: readonly [string, (url: string) => string[]][] = [
  ['upload', (url) => ['upload', 'data', url]],
  ['create upload', (url) => ['create', 'upload', 'data', '--bucket', url]],
  ['sync', (url) => ['sync', 'data', url]],
];

describe.each(WAYS)('%s', (name, argvOf) => {
  const argv = (): string[] => argvOf(`file://${place()}`);

  test('into a store whose disk is not mounted writes nothing, until --new-store begins there', async () => {
    expect(await run(argv())).toMatchObject({ status: 0 });
    renameSync(join(folder, 'mnt'), join(folder, 'away'));
    mkdirSync(join(folder, 'mnt'));

    const refused = await run(argv());

    expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('--new-store') as string });
    expect(refused.stderr).toContain('not mounted, emptied or another bucket?');
    expect(readdirSync(join(folder, 'mnt'))).toEqual([]);
    expect(await run([...argv(), '--new-store'])).toMatchObject({ status: 0 });
    expect(await run(argv())).toMatchObject({ status: 0 });
  });

  test('goes on after a scuttle of this computer', async () => {
    await run(argv());
    expect(await run(['scuttle', `file://${place()}`, '--force'])).toMatchObject({ status: 0 });

    expect(await run(argv())).toMatchObject({ status: 0 });
  });

  test.skipIf(name === 'sync')('of a folder that is suddenly empty is refused, until --allow-mass-delete', async () => {
    await run(argv());
    for (let index = 0; index < 6; index++) rmSync(join(folder, 'data', `file-${index}`));

    const refused = await run([...argv(), '--json']);

    expect(refused.status).toBe(4);
    expect(json(refused.stdout)).toMatchObject({
      error: { code: 'mass-delete', hint: expect.stringContaining('--allow-mass-delete') as string },
    });
    expect(await run([...argv(), '--allow-mass-delete'])).toMatchObject({ status: 0 });
  });
});

describe('a store that ignores If-None-Match', () => {
  let server: MemoryS3;
  let env: Record<string, string> = {};
  beforeEach(async () => {
    server = await startMemoryS3('bucket');
    onTestFinished(() => server.close());
    server.conditions.ifNoneMatch = 'ignored';
    env = { AWS_ENDPOINT_URL: server.endpoint, ARCHIVER_CREATE_ONCE: 'auto' };
  });
  const keys = (): string[] => [...(server.buckets.get('bucket')?.keys() ?? [])];
  const agent = ['fleetagent', 'run', 'data', 's3://bucket/p', '--writer-id', 'nas', '--once'];
  const tar = (): string[] => {
    writeFileSync(join(folder, 'a.tar'), Buffer.alloc(10_240));
    return ['migrate', 'a.tar', 's3://bucket/p'];
  };
  const ways: readonly [string, () => string[]][] = [
    ...WAYS.map(([name, argvOf]): [string, () => string[]] => [
      name,
      () => (name === 'create upload' ? [...argvOf('bucket'), '--prefix', 'p'] : argvOf('s3://bucket/p')),
    ]),
    ['fleetagent run', () => agent],
    ['migrate', tar],
  ];

  const records = (): string[] => keys().filter((key) => key.includes('/datasets/'));

  test.each(ways)('%s writes versions there whose keys have their upload, and asks once', async (_, argvOf) => {
    server.conditions.ifNoneMatch = 'unknown';
    expect(await run(argvOf(), env)).toMatchObject({ status: 0 });

    expect(records()).toEqual([expect.stringMatching(/\/v00000001\.\d{8}-\d{6}-[0-9a-f]{8}\.json$/)]);
    const { length } = server.requests;
    expect(await run([...argvOf(), '--create-once', 'no'], env)).toMatchObject({ status: 0 });
    expect(server.requests.slice(length).filter(({ headers }) => 'if-none-match' in headers)).toEqual([]);
  });

  test('an agent is healthy there', async () => {
    await run(agent, env);

    const status = String(server.buckets.get('bucket')?.get('p/writers/nas/status.json')?.body);
    expect(JSON.parse(status)).toMatchObject({ sources: [{ isHealthy: true }] });
  });

  test('balance and repair replace nothing there without --exclusive, and tags and prunes go on', async () => {
    await run(['sync', 'data', 's3://bucket/p', '--dataset-id', 'lab'], env);
    writeFileSync(join(folder, 'data', 'more'), 'more');
    await run(['sync', 'data', 's3://bucket/p', '--dataset-id', 'lab'], env);
    const id = /\.(\d{8}-\d{6}-[0-9a-f]{8})\.json$/.exec(records()[1] ?? '')?.[1] ?? '';
    server.buckets.get('bucket')?.delete(`p/uploads/${id}/manifest.json.gz`);
    const repair = ['repair', `s3://bucket/p/uploads/${id}`, '--execute'];

    expect(await run(repair, env)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('--exclusive') as string,
    });
    expect((await run([...repair, '--exclusive'], env)).stderr).toBe('');
    expect(await run(['dataset', 'tag', 's3://bucket/p', 'kept', 'v1'], env)).toMatchObject({ status: 0 });
    const prune = ['dataset', 'prune', 's3://bucket/p', '--dataset', 'lab', '--keep-last', '1', '--yes'];
    expect(await run(prune, env)).toMatchObject({ status: 0 });
    expect(await run(['restore', 's3://bucket/p', 'out', '--all'], env)).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 'out', 'more'), 'utf8')).toBe('more');
  });

  test('budgets of several machines are not counted there, which is said before anything is sent', async () => {
    const budget = ['budget', 'set', 'lab', '--cost', '5', '--store', 's3://bucket/b'];
    expect(await run(budget, env)).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('--exclusive') as string,
    });
    expect(await run([...budget, '--exclusive'], env)).toMatchObject({ status: 0 });
    const upload = ['upload', 'data', 's3://bucket/p', '--project', 'lab', '--budget-store', 's3://bucket/b'];

    const refused = await run(upload, env);

    expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('--ignore-budget') as string });
    expect(records()).toEqual([]);
    expect(await run([...upload, '--ignore-budget'], env)).toMatchObject({ status: 0 });
  });

  test('access-check asks it anew, and says when it has been mended', async () => {
    const check = async () => {
      const { findings } = json((await run(['access-check', 's3://bucket/p', '--json'], env)).stdout);
      return (findings as { check: string; severity: string }[]).find(({ check }) => check === 'create-once')?.severity;
    };
    expect(await check()).toBe('warn');
    server.conditions.ifNoneMatch = 'kept';

    expect(await check()).toBe('ok');

    expect((await run(['upload', 'data', 's3://bucket/p'], env)).status).toBe(0);
    expect(records()).toEqual([expect.stringMatching(/\/v00000001\.json$/)]);
    expect(keys().filter((key) => key.includes('/create-once-'))).toEqual([]);
  });

  test('setup takes it, says what that means, and an upload after it asks nothing', async () => {
    const setup = ['setup', '--non-interactive', 's3://bucket/p', '--endpoint-url', server.endpoint];
    server.conditions.ifNoneMatch = 'unknown';

    const done = await runCommand({ root, folder, env, input: '' }, [...setup, '--output', 'c.yaml']);

    expect([done.status, done.stderr + done.stdout]).toEqual([
      0,
      expect.stringMatching(/a key is not created only once: it does not know If-None-Match/),
    ]);
    expect(keys()).toEqual(['p/create-once.json']);
    const asked = server.requests.length;
    expect(await run(['upload', 'data', 's3://bucket/p'], env)).toMatchObject({ status: 0 });
    expect(server.requests.slice(asked).filter(({ path }) => path.includes('create-once'))).toEqual([]);
  });

  test('setup replaces what a store says of itself that is no longer so', async () => {
    const kind = (): unknown => JSON.parse(String(server.buckets.get('bucket')?.get('p/create-once.json')?.body)).kind;
    const setup = ['setup', '--non-interactive', 's3://bucket/p', '--endpoint-url', server.endpoint];
    server.conditions.ifNoneMatch = 'kept';
    await run([...setup, '--output', 'c.yaml'], env);
    expect(kind()).toBe('create-once');
    server.conditions.ifNoneMatch = 'ignored';

    expect(await run([...setup, '--output', 'c.yaml'], env)).toMatchObject({ status: 0 });
    expect(kind()).toBe('plain');
  });

  test('what was remembered in it goes with a scuttle', async () => {
    await run(['upload', 'data', 's3://bucket/p'], env);
    expect(keys()).toContain('p/create-once.json');

    expect(await run(['scuttle', 's3://bucket/p', '--force'], env)).toMatchObject({ status: 0 });
    expect(keys()).toEqual([]);
  });
});

test('an agent whose store is not mounted fails the cycle, and its heartbeat says so', async () => {
  const argv = ['fleetagent', 'run', 'data', `file://${place()}`, '--writer-id', 'nas', '--once'];
  expect(await run(argv)).toMatchObject({ status: 0 });
  rmSync(join(folder, 'mnt'), { recursive: true });

  expect(await run(argv)).toMatchObject({ status: 4 });

  const status = json(readFileSync(join(place(), 'writers', 'nas', 'status.json'), 'utf8'));
  expect(status['sources']).toMatchObject([
    { isHealthy: false, error: expect.stringContaining('not mounted') as string },
  ]);
  expect(readdirSync(join(place(), 'writers', 'nas'))).toEqual(['status.json']);
});

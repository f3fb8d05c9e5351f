// S3 Object Lock with everything else that an upload may do, run for real against the S3 of this process.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { ArchiverError } from '../../../src/core/platform/failures/errors.js';
import { readLog } from '../../../src/core/archive/resume/entry-log.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { KEY_ARN } from '../../support/fake-kms.js';
import { startKmsServer } from '../../support/kms-server.js';
import { LOCK_MODE, LOCKED_UNTIL } from '../../support/memory-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const s3 = useBrokenS3();
const PLACE = 's3://bucket/p';
const LOCK = ['--object-lock', 'governance', '--retain', '9d'];
let folder = '';
let env: Record<string, string> = {};

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  s3.server.lockable.add('bucket');
  env = {
    AWS_ENDPOINT_URL: s3.proxy.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    PATH: process.env['PATH'] ?? '',
  };
});

const run = (argv: readonly string[], signal = new AbortController().signal): Promise<CommandRun> =>
  runCommand({ root, folder, env, signal, input: '' }, argv);
const done = async (...argv: readonly string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await run([...argv, '--json', '--quiet']);
  expect([status, stderr]).toEqual([0, '']);
  return json(stdout);
};
const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, 'data', name), content);
const objects = (): readonly [key: string, headers: Record<string, string>][] =>
  Array.from(s3.server.buckets.get('bucket') ?? [], ([key, { headers }]) => [key.slice('p/'.length), headers]);
const untilsBelow = (prefix: string): readonly string[] =>
  objects().flatMap(([key, headers]) =>
    key.startsWith(prefix) ? [headers[LOCKED_UNTIL] ?? `${key} is unlocked`] : [],
  );
/** One moment for all of an upload. */
const expectLocked = (uploadId: unknown): void => {
  const untils = untilsBelow(`uploads/${String(uploadId)}/`);
  expect([...new Set(untils)]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)]);
};
const expectRestored = async (): Promise<void> => {
  rmSync(join(folder, 'out'), { recursive: true, force: true });
  expect(await run(['restore', PLACE, './out', '--all'])).toMatchObject({ status: 0 });
  const names = readdirSync(join(folder, 'data'));
  expect(readdirSync(join(folder, 'out')).toSorted()).toEqual(names.toSorted());
  for (const name of names)
    expect(readFileSync(join(folder, 'out', name)).equals(readFileSync(join(folder, 'data', name)))).toBe(true);
};

describe('everything that an upload puts is locked until one moment', () => {
  test.each([
    ['in chunks', []],
    ['as files', ['--direct-upload']],
    ['equal content once', ['--enable-dedup']],
    ['encrypted', ['--kms-key-id', KEY_ARN, '--encrypt-manifest']],
  ])('%s, also the copy of a delta that says more than its chunks', async (_name, flags) => {
    const kms = await startKmsServer();
    onTestFinished(() => kms.close());
    env = { ...env, AWS_ENDPOINT_URL_S3: s3.proxy.endpoint, AWS_ENDPOINT_URL: kms.endpoint };
    const upload = ['upload', './data', PLACE, '--incremental', ...flags, ...LOCK];
    for (let name = 0; name < 16; name++) write(`f${name}`, randomBytes(900));
    write('twin', readFileSync(join(folder, 'data', 'f1')));
    const first = await done(...upload);
    write('new', 'more');
    chmodSync(join(folder, 'data', 'f2'), 0o600);

    const second = await done(...upload);

    expect([first['version'], second['version']]).toEqual([1, 2]);
    expectLocked(first['uploadId']);
    expectLocked(second['uploadId']);
    expect(untilsBelow('datasets/')).toEqual(
      [first, second].flatMap(({ manifestKey }) => untilsBelow(String(manifestKey)).slice(0, 1)),
    );
    expect(objects().filter(([key]) => key.startsWith(`${String(second['manifestKey'])}.copy-`))).toHaveLength(1);
    expect(objects().some(([key]) => key.includes('/files/'))).toBe(flags.includes('--direct-upload'));
    await expectRestored();
  });
});

describe('an interrupted upload', () => {
  const upload = ['upload', './data', PLACE, '--shard-count', '6', ...LOCK];
  beforeEach(() => {
    for (let name = 0; name < 12; name++) write(`f${name}`, randomBytes(9000));
  });

  /** Ctrl+C when the first of two chunks is acknowledged and noted, and the other is tried again and again. */
  const interrupted = async (): Promise<CommandRun> => {
    const end = new AbortController();
    s3.proxy.inject({ operation: 'PutObject', skip: 1, fault: { kind: 'status', status: 503 } });
    const running = run([...upload, '--quiet'], end.signal);
    while (!(await hasNoted(1))) await setImmediate();
    end.abort(new ArchiverError('cancelled', 'interrupted', { exitCode: 130 }));
    const ended = await running;
    s3.proxy.clear();
    return ended;
  };

  /** The journal of the only upload that is saved. */
  const hasNoted = async (chunks: number): Promise<boolean> => {
    const state = join(folder, 'home', 'state');
    const entries = existsSync(state) ? readdirSync(state).find((name) => name.endsWith('.entries')) : undefined;
    if (entries === undefined || statSync(join(state, entries)).size === 0) return false;
    return (await readLog(join(state, entries), asUploadId(entries.slice(0, 24)))).chunks.length === chunks;
  };

  test('goes on until the same moment, and tells its hooks of both', async () => {
    writeFileSync(
      join(folder, '.archiver.yaml'),
      'hooks:\n  shell: true\n  after: echo "$ARCHIVER_HOOK $ARCHIVER_HOOK_STATUS" >> told\n' +
        '  onFailure: echo "$ARCHIVER_HOOK $ARCHIVER_HOOK_STATUS" >> told\n',
    );
    const first = await interrupted();
    const sent = objects().map(([key]) => key);
    const [until] = untilsBelow('uploads/');

    const second = await done(...upload);

    expect([first.status, sent.length]).toEqual([130, 1]);
    expect(sent[0]).not.toContain(String(second['uploadId']));
    expect(objects().map(([key]) => key)).toEqual(expect.arrayContaining(sent));
    expect(second).toMatchObject({ chunks: objects().filter(([key]) => key.includes('/chunk-')).length });
    expectLocked(second['uploadId']);
    expect(untilsBelow('uploads/')[0]).toBe(until);
    expect(readFileSync(join(folder, 'told'), 'utf8')).toBe('onFailure interrupted\nafter done\n');
    await expectRestored();
  });

  test('keeps what it knows where the store then refuses a lock', async () => {
    await interrupted();
    const sent = objects().map(([key]) => key);
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'status', status: 400, code: 'InvalidRequest' } });

    const refused = await run([...upload, '--quiet']);
    s3.proxy.clear();
    const continued = await done(...upload);

    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('has no Object Lock')]);
    expect(objects().map(([key]) => key)).toEqual(expect.arrayContaining(sent));
    expect(sent[0]).not.toContain(String(continued['uploadId']));
    expect(continued).toMatchObject({ chunks: objects().filter(([key]) => key.includes('/chunk-')).length });
  });
});

describe('fleet lock-extend', () => {
  test('locks what versions of every writer need, as files and in chunks, and nothing that was retired', async () => {
    const sync = ['sync', './data', PLACE, '--dataset-id', 'data'];
    write('one', 'one');
    const retired = await done(...sync, '--force');
    write('two', randomBytes(3000));
    const base = await done('upload', ...sync.slice(1), '--direct-upload', ...LOCK);
    chmodSync(join(folder, 'data', 'two'), 0o600);
    const delta = await done(...sync, ...LOCK);
    await done(...sync, '--writer-id', 'nas');
    await done('dataset', 'prune', PLACE, '--dataset-id', 'data', '--keep-last', '2', '--yes');

    const extended = await done('fleet', 'lock-extend', PLACE, '--until', '30d', '--yes');

    const unlocked = objects().flatMap(([key, headers]) => (headers[LOCK_MODE] === undefined ? [key] : []));
    expect(unlocked.filter((key) => !key.includes('/sweep-')).toSorted()).toEqual(
      [
        'datasets/data/v00000001.json',
        ...objects().flatMap(([key]) =>
          key.startsWith(`uploads/${String(retired['uploadId'])}/`) && !key.includes('/sweep-') ? [key] : [],
        ),
      ].toSorted(),
    );
    const kept = [base, delta].flatMap(({ uploadId }) => untilsBelow(`uploads/${String(uploadId)}/`));
    const untils = [...kept, ...untilsBelow('writers/nas/')].map((text) => Date.parse(text));
    expect([...new Set(untils)]).toEqual([Date.parse(String(extended['lockedUntil']))]);
    expect(objects().some(([key]) => key.includes('/files/'))).toBe(true);
    expect(extended).toMatchObject({ datasetCount: 2, versionCount: 3, failed: [], warnings: [] });
  });
});

test.each([
  ['put back from the cache', []],
  ['rebuilt from chunks', ['home']],
])('a manifest that is %s is locked as long as its version was extended', async (_how, forgotten) => {
  write('one', 'one');
  const { manifestKey } = await done('sync', './data', PLACE, ...LOCK);
  await done('fleet', 'lock-extend', PLACE, '--until', '20d', '--yes');
  const [until] = untilsBelow('datasets/');
  s3.server.buckets.get('bucket')?.delete(`p/${String(manifestKey)}`);
  for (const name of forgotten) rmSync(join(folder, name), { recursive: true, force: true });

  const repaired = await done('repair', PLACE, '--execute');

  expect(repaired).toMatchObject({ status: 'repaired' });
  expect(Object.fromEntries(objects())[String(manifestKey)]?.[LOCKED_UNTIL]).toBe(until);
  await expectRestored();
});

// Versions of real uploads are retired and brought back: files, deltas, encrypted manifests, plans.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { KEY_ARN } from '../support/fake-kms.js';
import { startKmsServer } from '../support/kms-server.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { filesBelow } from './upload-cli.js';

const ID = ['--dataset-id', 'd'];
const root = program();

async function site(env: Record<string, string> = {}) {
  const folder = await tempFolder();
  const run = (...args: string[]): Promise<CommandRun> => runCommand({ root, folder, env }, args);
  const done = async (...args: string[]): Promise<CommandRun> => {
    const ran = await run(...args);
    if (ran.status !== 0) throw new Error(`${args.join(' ')}: ${ran.status}\n${ran.stderr}`);
    return ran;
  };
  const source = join(folder, 'source');
  mkdirSync(source);
  for (let n = 0; n < 40; n++) writeFileSync(join(source, `f${n}`), `content ${n}`);
  const change = (n: number): void => {
    writeFileSync(join(source, `new${n}`), `new ${n}`);
    rmSync(join(source, `f${n}`));
  };
  return { folder, source, run, done, change, base: `file://${join(folder, 'store')}` };
}

const contentOf = (folder: string): readonly string[] =>
  filesBelow(folder)
    .toSorted()
    .map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8')}`);

test('a delta comes back byte for byte, its record says what it said, and what is shown says how', async () => {
  const { folder, source, run, done, change, base } = await site();
  const record = (): Record<string, unknown> =>
    json(readFileSync(join(folder, 'store/datasets/d/v00000002.json'), 'utf8'));
  for (const n of [1, 2, 3]) {
    await done('sync', source, base, ...ID, '--track-deletes');
    if (n === 2) cpSync(source, join(folder, 'as-it-was'), { recursive: true });
    change(n);
  }
  const before = record();
  const at = ['dataset', 'restore-version', base, '--dataset', 'd', '--version', '2'];

  const pruned = await done('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes');
  const missed = await run('verify', base, '--version', '2');
  const dry = await done(...at, '--dry-run');
  const isTombstone = record()['retiredAt'] !== undefined;
  const back = json((await done(...at, '--json')).stdout);
  const again = await done(...at);

  expect(pruned.stdout).toMatch(
    new RegExp(`undo +until 20.*: archiver dataset restore-version ${base} --dataset-id d --version N\n$`),
  );
  expect([missed.status, missed.stderr]).toEqual([
    1,
    expect.stringMatching(
      /version 2 of dataset d was pruned on 20.*restore-version .* --version 2 may bring it back until/s,
    ),
  ]);
  expect([dry.stdout, isTombstone]).toEqual([
    expect.stringMatching(
      /^version 2 of dataset d can be brought back: 40 files.*all there\n.*marked.*Nothing was changed/s,
    ),
    true,
  ]);
  expect(back).toMatchObject({ version: 2, isBroughtBack: true, files: 40, objects: 5, uploadId: before['uploadId'] });
  expect(again.stdout).toMatch(/^version 2 of dataset d is not retired: nothing was changed\n/);
  const { wasRetiredAt, digest: _new, ...now } = record();
  const { digest: _old, ...then } = before;
  expect([now, wasRetiredAt]).toEqual([then, back['wasRetiredAt']]);
  await done('verify', base, '--version', '2', '--deep');
  await done('restore', base, '--version', '2', 'out', '--all');
  expect(contentOf(join(folder, 'out'))).toEqual(contentOf(join(folder, 'as-it-was')));
  expect((await done('dataset', 'versions', base)).stdout).toMatch(/v3 [^]* v2 /);

  const retired = await done('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes');
  expect(retired.stdout).toContain('retired 1 version of dataset d, kept 1 version: 3');
  expect(retired.stdout).not.toContain('undo');
}, 30_000);

test('what is no number, too short a grace and no digest are refused', async () => {
  const { run, base } = await site();
  const refusal = async (...flags: string[]) => {
    const { status, stderr } = await run('dataset', 'restore-version', base, ...ID, ...flags);
    return [status, stderr.split('\n')[0]];
  };

  expect(await refusal('--version', 'latest')).toEqual([2, '✗ --version latest is no number of a version']);
  expect(await refusal('--version', '2', '--grace', '1h')).toMatchObject([2, expect.stringContaining('at least 2h')]);
  expect(await refusal('--version', '2', '--manifest-sha256', 'ab')).toMatchObject([
    2,
    expect.stringContaining('64 of 0-9 a-f'),
  ]);
  expect(await refusal()).toMatchObject([2, expect.stringContaining('--version')]);
});

test('a version of a plan, whose content lies in the folders of its workers', async () => {
  const { folder, source, done, base } = await site();
  const { location } = json((await done('plan', source, base, ...ID, '--parts', '2', '--json')).stdout);
  await done('work', String(location), '--part', '0');
  await done('work', String(location), '--part', '1');
  await done('commit', String(location));
  writeFileSync(join(source, 'f1'), 'changed');
  await done('upload', source, base, ...ID);
  await done('dataset', 'prune', base, ...ID, '--keep-last', '1', '--yes');

  const back = json((await done('dataset', 'restore-version', base, ...ID, '--version', '1', '--json')).stdout);
  await done('restore', base, '--version', '1', 'out', '--all');

  expect(back).toMatchObject({ isBroughtBack: true, files: 40 });
  expect(readFileSync(join(folder, 'out', 'f1'), 'utf8')).toBe('content 1');
}, 30_000);

test('an encrypted version stays encrypted, in S3, and its record shows no name', async () => {
  useTestCredentials();
  const [s3, kms] = [await startMemoryS3('bucket'), await startKmsServer()];
  onTestFinished(async () => {
    await s3.close();
    await kms.close();
  });
  const { source, done, run, change } = await site({
    AWS_ENDPOINT_URL_S3: s3.endpoint,
    AWS_ENDPOINT_URL: kms.endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'eu-west-1',
  });
  const url = 's3://bucket/lab';
  const record = (): string => String(s3.buckets.get('bucket')?.get('lab/datasets/d/v00000002.json')?.body);
  await done('sync', source, url, ...ID, '--track-deletes', '--kms-key-id', KEY_ARN, '--encrypt-manifest');
  for (const n of [1, 2]) {
    change(n);
    await done('sync', source, url, ...ID, '--track-deletes');
  }
  const before = json(record());
  await done('dataset', 'prune', url, ...ID, '--keep-last', '1', '--yes');
  const at = ['dataset', 'restore-version', url, ...ID, '--version', '2'];

  kms.fail({ operation: 'Decrypt', type: 'AccessDeniedException', message: 'no' });
  const denied = await run(...at);
  kms.clear();
  const isTombstone = record().length === 400;
  await done(...at);

  expect([denied.status, isTombstone]).toEqual([1, true]);
  const { wasRetiredAt: _at, digest: _new, ...now } = json(record());
  const { digest: _old, ...then } = before;
  expect(now).toEqual(then);
  await done('verify', url, '--version', '2');
}, 30_000);

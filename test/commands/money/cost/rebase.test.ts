// The ledger and what a store holds: commands of two computers, rules of a bucket, and hands that delete.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { editManifest, makeInventory, MANIFEST, rowsOf, versionsOf } from '../../../support/make-inventory.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
const broken = useBrokenS3();
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
});

/** A command of one of two computers. */
const runOn = (home: string, argv: readonly string[], more: Partial<Parameters<typeof runCommand>[0]> = {}) =>
  runCommand({ root, folder, env: { ARCHIVER_HOME: join(folder, home) }, ...more }, argv);
const run = (...argv: readonly string[]): Promise<CommandRun> => runOn('home', argv);

const filesBelow = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile());

const ledgerText = (): string =>
  filesBelow(join(folder, 'home', 'ledger'))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(name, 'utf8'))
    .join('');

describe('a folder that two computers use', () => {
  const store = (): string => join(folder, 'store');
  const url = (): string => `file://${store()}`;
  const stored = async (): Promise<unknown> => json((await run('cost', 'report', '--json')).stdout)['storedBytes'];
  const bytes = (): number => filesBelow(store()).reduce((sum, name) => sum + statSync(name).size, 0);
  const write = (name: string, size: number): void =>
    writeFileSync(join(folder, 'data', name), Buffer.alloc(size, name));

  test('what its own runs stored agrees', async () => {
    write('a', 5000);
    await run('sync', 'data', url(), '--project', 'genome', '--quiet');

    const { status, stdout } = await run('cost', 'rebase', url());
    expect([status, stdout]).toEqual([0, expect.stringContaining('the ledger agrees with the store')]);
    expect(await stored()).toBe(bytes());
  });

  test.each([1, 2, 3])('after a history by chance (%i) the ledger has what lies there', async (seed) => {
    let state = seed * 7919;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    for (let step = 0; step < 8; step++) {
      write(`file-${step}`, 1000 + random(50_000));
      const home = random(2) === 0 ? 'home' : 'other';
      const project = random(2) === 0 ? [] : ['--project', `project-${random(2)}`];
      const act = random(4);
      if (act === 0) await runOn(home, ['upload', 'data', url(), '--quiet', ...project]);
      else if (act === 1) await runOn(home, ['sync', 'data', url(), '--quiet', ...project]);
      else if (act === 2)
        await runOn(home, [
          'dataset',
          'prune',
          url(),
          '--all-datasets',
          '--keep-last',
          '1',
          '--instant',
          '--yes',
          '--quiet',
        ]);
      else
        for (const name of filesBelow(folder).filter((one) => one.includes('/store/')))
          if (random(6) === 0) rmSync(name);
    }
    await run('sync', 'data', url(), '--quiet', '--force');

    const { status, stdout } = await run('cost', 'rebase', url(), '--json');
    expect(status).toBe(0);
    const { measured, isRecorded } = json(stdout) as { measured: { bytes: number }; isRecorded: boolean };
    expect([measured.bytes, isRecorded]).toEqual([bytes(), true]);
    expect(await stored()).toBe(bytes());
    const before = ledgerText();
    expect(json((await run('cost', 'rebase', url(), '--json')).stdout)).toMatchObject({
      corrections: [],
      isRecorded: false,
    });
    expect(ledgerText()).toBe(before);
  });

  test('--dry-run says the same and writes nothing', async () => {
    write('a', 50_000);
    await run('sync', 'data', url(), '--project', 'genome', '--quiet');
    const held = bytes();
    for (const name of filesBelow(store()).filter((one) => one.includes('chunk'))) rmSync(name);
    const before = ledgerText();

    const dry = await run('cost', 'rebase', url(), '--dry-run');
    expect([dry.status, ledgerText()]).toEqual([0, before]);
    expect(dry.stdout).toContain('1 amount would be corrected; nothing is written');
    expect(dry.stdout).toMatch(/genome +STANDARD/);
    const { corrections } = json((await run('cost', 'rebase', url(), '--json')).stdout);
    expect(corrections).toMatchObject([{ project: 'genome', recorded: { bytes: held }, measured: { bytes: bytes() } }]);
    expect(ledgerText()).not.toBe(before);
  });

  test('an empty place is taken for a mistake, and a part of a store is refused', async () => {
    write('a', 5000);
    await run('sync', 'data', url(), '--quiet');
    const kept = join(folder, 'kept');
    cpSync(store(), kept, { recursive: true });
    for (const name of readdirSync(store())) rmSync(join(store(), name), { recursive: true });
    const before = ledgerText();

    const empty = await run('cost', 'rebase', url());
    expect([empty.status, empty.stderr]).toEqual([1, expect.stringContaining('--allow-empty')]);
    const part = await run('cost', 'rebase', `${url()}/uploads`, '--allow-empty');
    expect([part.status, ledgerText()]).toEqual([1, before]);
    expect((await run('cost', 'rebase', url(), '--allow-empty')).status).toBe(0);
    expect(await stored()).toBe(0);
    const missing = await run('cost', 'rebase', 'file:///nowhere/at/all');
    expect(missing.status).toBe(1);
  });

  test('an interrupted listing writes nothing', async () => {
    write('a', 5000);
    await run('sync', 'data', url(), '--quiet');
    rmSync(filesBelow(store()).find((one) => one.includes('chunk')) ?? '');
    const before = ledgerText();

    const { status } = await runOn('home', ['cost', 'rebase', url()], { signal: AbortSignal.abort() });
    expect(status).not.toBe(0);
    expect(ledgerText()).toBe(before);
  });
});

describe('a bucket', () => {
  let s3: MemoryS3;
  beforeAll(async () => {
    useTestCredentials();
    s3 = await startMemoryS3('lab', 'logs');
  });
  afterAll(() => s3.close());
  beforeEach(() => {
    s3.buckets.set('lab', new Map());
    s3.buckets.set('logs', new Map());
  });

  const env = (home: string) => ({
    ARCHIVER_HOME: join(folder, home),
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  });
  const onS3 = (argv: readonly string[], more: Partial<Parameters<typeof runCommand>[0]> = {}): Promise<CommandRun> =>
    runCommand({ root, folder, env: env('home'), ...more }, [
      ...argv,
      '--endpoint-url',
      s3.endpoint,
      '--region',
      'us-east-1',
    ]);
  const upload = async (): Promise<void> => {
    writeFileSync(join(folder, 'data', 'a'), Buffer.alloc(200_000, 'a'));
    const { status } = await onS3(['upload', 'data', 's3://lab/archive', '--project', 'genome', '--quiet']);
    expect(status).toBe(0);
  };

  test('what a rule moved to another class is found there', async () => {
    await upload();
    let moved = 0;
    for (const [key, object] of s3.buckets.get('lab') ?? [])
      if (key.includes('/chunk-')) {
        object.headers['x-amz-storage-class'] = 'GLACIER_IR';
        moved += object.body.length;
      }

    const { status, stdout } = await onS3(['cost', 'rebase', 's3://lab', '--json']);
    expect(status).toBe(0);
    const { corrections } = json(stdout) as { corrections: readonly Record<string, unknown>[] };
    expect(corrections.find(({ storageClass }) => storageClass === 'GLACIER_IR')).toMatchObject({
      url: 's3://lab/archive',
      project: 'genome',
      recorded: { bytes: 0 },
      measured: { bytes: moved },
    });
    expect(json((await onS3(['cost', 'rebase', 's3://lab', '--json'])).stdout)['corrections']).toEqual([]);
  });

  test('with an inventory the store is as of that day, and runs since then count on top', async () => {
    await upload();
    const manifest = { creationTimestamp: String(Date.now()) };
    const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: '' });
    const rows = rowsOf(await versionsOf(store));
    const made = await makeInventory(
      rows.filter(({ key }) => !key.includes('/shard-')),
      { format: 'CSV' },
    );
    editManifest(made, manifest);
    for (const [key, body] of made)
      s3.buckets.get('logs')?.set(key, { body, etag: '"1"', modified: new Date(), headers: {} });
    writeFileSync(join(folder, 'data', 'b'), Buffer.alloc(100_000, 'b'));
    await upload();
    const after = json((await run('cost', 'report', '--json')).stdout)['storedBytes'] as number;

    const { status, stdout } = await onS3([
      'cost',
      'rebase',
      's3://lab',
      '--inventory',
      `s3://logs/${MANIFEST}`,
      '--json',
    ]);
    expect(status).toBe(0);
    const { recorded, measured, measuredBy } = json(stdout) as Record<string, { bytes: number }>;
    expect(measuredBy).toBe('inventory');
    const lost = recorded!.bytes - measured!.bytes;
    expect(lost).toBeGreaterThan(100);
    expect(json((await run('cost', 'report', '--json')).stdout)['storedBytes']).toBe(after - lost);
  });

  test('where versions may not be listed nothing is written, unless there are none', async () => {
    broken.put('uploads/20260304-120000-01020304/a', 'four');
    const denied = (operation: string) =>
      broken.proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const rebase = (...more: readonly string[]): Promise<CommandRun> =>
      runCommand({ root, folder, env: env('home') }, [
        'cost',
        'rebase',
        's3://bucket/p',
        '--endpoint-url',
        broken.proxy.endpoint,
        '--region',
        'us-east-1',
        ...more,
      ]);
    denied('ListObjectVersions');

    const { status, stderr } = await rebase();
    expect([status, stderr]).toEqual([1, expect.stringContaining('s3:ListBucketVersions')]);
    expect(existsSync(join(folder, 'home', 'ledger'))).toBe(false);
    denied('ListObjectVersions');
    expect((await rebase('--current-only')).status).toBe(0);
    const before = ledgerText();
    expect(before).toContain('"bytes":4,');

    broken.put('uploads/20260304-120000-01020304/b', 'four');
    denied('ListObjectVersions');
    denied('ListObjectsV2');
    expect([(await rebase('--current-only')).status, ledgerText()]).toEqual([1, before]);
  });
});

// What variables and the config file say of buckets and classes, beside what is typed.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { parseCommand, type ParsedCommand } from '../../src/cli/parse-command.js';
import { command as config } from '../../src/commands/config.js';
import { command as createUpload } from '../../src/commands/create/upload.js';
import { command as download } from '../../src/commands/download.js';
import { command as info } from '../../src/commands/info.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as scuttle } from '../../src/commands/scuttle.js';
import { command as shell } from '../../src/commands/shell.js';
import { command as sync } from '../../src/commands/sync.js';
import { command as upload } from '../../src/commands/upload.js';
import { command as verify } from '../../src/commands/verify.js';
import { onlyUpload, readManifest } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf(
  [config, createUpload, download, info, list, restore, scuttle, shell, sync, upload, verify],
  [],
  'test',
);
const CONFIG =
  'storage:\n  bucket: my-bucket\n  prefix: lab\n  storageClass: DEEP_ARCHIVE\nupload:\n  autoTier: true\n  tierMax: GLACIER\n';
const ENV = { ARCHIVER_BUCKET: 'my-bucket', ARCHIVER_PREFIX: 'lab', ARCHIVER_STORAGE_CLASS: 'DEEP_ARCHIVE' };

describe.each<[layer: string, env: Record<string, string>, config: string | undefined]>([
  ['the config file', {}, CONFIG.replace(/upload:[^]*/, '')],
  ['variables', ENV, undefined],
  ['a config file with tiers', {}, CONFIG.replace('  storageClass: DEEP_ARCHIVE\n', '')],
])('what is typed wins over %s', (_, env, config) => {
  let folder = '';
  const run = async (...argv: string[]): Promise<CommandRun> => {
    const ran = await runCommand({ root, folder, env }, argv);
    return ran;
  };
  beforeEach(async () => {
    folder = await tempFolder();
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source/a'), 'alpha');
    if (config !== undefined) writeFileSync(join(folder, '.archiver.yaml'), config);
  });

  it('a folder takes uploads, and every command reads them', async () => {
    const store = `file://${folder}/store`;
    const made = [
      await run('upload', 'source', store),
      await run('sync', 'source', store),
      await run('create', 'upload', 'source', '--bucket', `file://${folder}/other`, '--prefix', 'x'),
    ];
    expect(made.map(({ status, stderr }) => [status, stderr])).toEqual(
      made.map(() => [0, expect.not.stringContaining('✗')]),
    );
    const url = `${store}/uploads/${readdirSync(join(folder, 'store/uploads'))[0] ?? ''}`;

    for (const argv of [
      ['list', url],
      ['info', url],
      ['verify', url],
      ['restore', url, 'out', '--all'],
      ['download', url, 'copy'],
      ['shell', url, '-c', 'ls'],
      ['shell', '-c', 'help list'],
      ['scuttle', store, '--dry-run'],
    ])
      expect([argv, await run(...argv)]).toEqual([argv, expect.objectContaining({ status: 0 })]);
    expect(readFileSync(join(folder, 'out/a'), 'utf8')).toBe('alpha');
  });

  it('what is typed twice is refused', async () => {
    const twice = await run('list', 'file:///x/uploads/20251114-093012-1a2b3c4d', '--bucket', 'b');
    const classed = await run('sync', 'source', `file://${folder}/store`, '--storage-class', 'DEEP_ARCHIVE');

    expect(twice).toMatchObject({ status: 2, stderr: expect.stringContaining('either a URL or --bucket') as string });
    expect(classed).toMatchObject({ status: 2, stderr: expect.stringContaining('no storage classes') as string });
  });
});

test('every command runs with what config --generate wrote, in either form', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source/a'), 'alpha');
  for (const format of ['json', 'yaml']) {
    const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
    const store = `file://${folder}/${format}`;
    writeFileSync(join(folder, '.archiver.yaml'), (await run('config', '--generate', '--format', format)).stdout);
    const calls = [
      ['config', '--validate'],
      ['sync', 'source', store],
      ['create', 'upload', 'source', '--bucket', store, '--prefix', 'x'],
      ...['list', 'info', 'verify', 'download', 'restore', 'shell'].map((name) => [
        name,
        `${store}/uploads/UPLOAD`,
        ...(name === 'shell' ? ['-c', 'ls'] : []),
        ...(name === 'download' || name === 'restore' ? [`out-${format}-${name}`] : []),
        ...(name === 'restore' ? ['--all'] : []),
      ]),
      ['scuttle', store, '--dry-run'],
    ];
    await run('upload', 'source', store);
    const id = readdirSync(join(folder, format, 'uploads'))[0] ?? '';
    for (const call of calls) {
      const ran = await run(...call.map((word) => word.replace('UPLOAD', id)));
      expect([call, ran.status, ran.stderr]).toEqual([call, 0, expect.not.stringContaining('✗')]);
    }
  }
});

const parsed = async (
  argv: readonly string[],
  env: Record<string, string>,
  config: Record<string, string>,
): Promise<ParsedCommand | undefined> =>
  await parseCommand(upload, {
    argv,
    env,
    config: () =>
      Promise.resolve((key) => {
        const text = config[key];
        return text === undefined ? undefined : { texts: [text], where: `upload.${key} in FILE`, line: 1 };
      }),
  });

test('a higher layer rules out what excludes it in a lower one, and what that needs', async () => {
  const place = ['.', 's3://abc'];
  const typed = await parsed([...place, '--auto-tier'], ENV, {});
  const classed = await parsed([...place, '--storage-class', 'GLACIER'], {}, { autoTier: 'true', tierMax: 'GLACIER' });
  const env = await parsed(place, { ARCHIVER_STORAGE_CLASS: 'GLACIER' }, { autoTier: 'true', tierMax: 'GLACIER' });
  const off = await parsed([...place, '--no-auto-tier'], {}, { autoTier: 'true', tierMax: 'GLACIER' });

  expect(typed?.values).toMatchObject({ autoTier: true, storageClass: 'STANDARD' });
  expect([typed?.values['bucket'], typed?.values['prefix']]).toEqual([undefined, undefined]);
  expect([classed, env].map((one) => one?.values)).toEqual([
    expect.objectContaining({ autoTier: false, storageClass: 'GLACIER', tierMax: undefined }),
    expect.objectContaining({ autoTier: false, storageClass: 'GLACIER', tierMax: undefined }),
  ]);
  expect(off?.values).toMatchObject({ autoTier: false, tierMax: undefined });
});

test('within one layer it is refused, and the layer is named', async () => {
  const both = parsed(['.', 's3://abc'], {}, { autoTier: 'true', storageClass: 'GLACIER' });
  await expect(both).rejects.toThrow('--auto-tier comes from upload.autoTier in FILE');
});

describe('a flag that can do nothing is refused', () => {
  const to = ['.', 's3://abc'];
  test.each([
    ['--congestion-control bbr --no-optimization', '--congestion-control has nothing to control'],
    ['--congestion-control cubic --transporter none', '--congestion-control has nothing to control'],
    ['--congestion-control auto --transporter basic', '--congestion-control has nothing to control'],
    ['--disable-staging --transporter basic', 'leave out --disable-staging'],
  ])('%s', async (flags, failure) => {
    await expect(parsed([...to, ...flags.split(' ')], {}, {})).rejects.toThrow(failure);
  });

  test('in one lower layer, too, and it is named', async () => {
    const both = parsed(to, {}, { congestionControl: 'bbr', transporter: 'none' });
    await expect(both).rejects.toThrow('--transporter comes from upload.transporter in FILE');
  });

  test('and otherwise the higher layer counts', async () => {
    const typed = await parsed(
      [...to, '--transporter', 'none'],
      {},
      { congestionControl: 'bbr', disableStaging: 'true' },
    );
    const env = await parsed(
      to,
      { ARCHIVER_CONGESTION_CONTROL: 'bbr' },
      { optimization: 'false', transporter: 'none' },
    );

    expect(typed?.values).toMatchObject({ transporter: 'none', congestionControl: 'auto', disableStaging: false });
    expect(env?.values).toMatchObject({ transporter: 'staging', congestionControl: 'bbr', optimization: true });
  });
});

test('--compression-level is that of what a direct upload packs', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'source/d'), { recursive: true });
  writeFileSync(join(folder, 'source/d/a'), 'alpha');
  const store = join(folder, 'store');

  await runCommand({ root, folder }, [
    'upload',
    'source',
    `file://${store}`,
    '--direct-upload',
    '--compression-level',
    '7',
  ]);

  expect(readManifest(onlyUpload(store)).chunks.map(({ level }) => level)).toEqual([7, 0]);
});

test.each([
  ['restore', 'URL', 'out', '--all'],
  ['download', 'URL', 'out'],
  ['verify', 'URL', '--deep'],
  ['shell', 'URL', '-c', 'ls'],
])('%s refuses a --memory-limit that it cannot keep', async (...argv) => {
  const folder = await tempFolder();
  const url = `file://${folder}/store/uploads/20251114-093012-1a2b3c4d`;
  const words = argv.map((word) => (word === 'URL' ? url : word));

  const ran = await runCommand({ root, folder }, [...words, '--memory-limit', '100MiB']);

  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain('--memory-limit must be at least 192MiB for reading content');
});

test('encryption is never dropped for what is typed', async () => {
  const direct = parsed(['.', 's3://abc', '--direct-upload'], {}, { encryptManifest: 'true', kmsKeyId: 'k' });
  await expect(direct).rejects.toThrow('--encrypt-manifest comes from upload.encryptManifest in FILE');
});

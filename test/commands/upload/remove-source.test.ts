// `upload --remove-source-after verify` on real trees: what is removed can be restored, and what cannot be proven stays.
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';
const at = (...path: readonly string[]): string => join(folder, ...path);
const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder, input: '' }, argv);
const store = (): string => `file://${at('store')}`;
const REMOVE = ['--remove-source-after', 'verify'] as const;
const upload = (...argv: readonly string[]): Promise<CommandRun> => run('upload', 'data', store(), '-q', ...argv);
const tree = (path = 'data'): string[] => readdirSync(at(path), { recursive: true }).map(String).toSorted();

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(at('data/dir/empty'), { recursive: true });
  writeFileSync(at('data/a'), 'alpha');
  writeFileSync(at('data/dir/b'), 'beta');
  linkSync(at('data/a'), at('data/dir/hard'));
  symlinkSync('../a', at('data/dir/link'));
  symlinkSync('nowhere', at('data/dangling'));
  writeFileSync(at('data/sparse'), '');
  truncateSync(at('data/sparse'), 2 ** 21);
  writeFileSync(at('data/none'), '');
});

function flipChunks(): void {
  const uploads = at('store/uploads');
  for (const name of readdirSync(uploads, { recursive: true }).map(String)) {
    if (!name.endsWith('.tar.zst')) continue;
    const bytes = readFileSync(join(uploads, name));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(join(uploads, name), bytes);
  }
}

test('removes everything that it has read back, links and holes too, and a restore has all of it', async () => {
  const before = tree();

  const { status, stdout } = await upload(...REMOVE, '--yes', '--json');

  const made = json(stdout);
  expect(status).toBe(0);
  expect(made).toMatchObject({ removedSource: { files: 7, directories: 2, failed: [], keptCount: 0 } });
  // The manifest twice, and what is in the chunk.
  expect(made['requests']).toMatchObject({ get: expect.toSatisfy((gets: number) => gets >= 3) as number });
  expect(tree()).toEqual([]);
  const file = String(made['receiptFile']);
  expect(file).toBe(at('home/receipts', `${String(made['uploadId'])}.json`));
  expect(json(readFileSync(file, 'utf8'))).toMatchObject({
    status: 'complete',
    location: made['location'],
    version: 1,
  });
  expect(statSync(at('home/receipts')).mode & 0o777).toBe(0o700);
  expect(await run('restore', String(made['location']), 'out', '--all', '-q')).toMatchObject({ status: 0 });
  expect(tree('out')).toEqual(before);
  expect(readFileSync(at('out/dir/hard'), 'utf8')).toBe('alpha');
  expect(statSync(at('out/a')).ino).toBe(statSync(at('out/dir/hard')).ino);
});

test('what stays is named with exit status 3, and what the upload left out stays without it', async () => {
  writeFileSync(at('data/dir/note.tmp'), 'left out');
  await setTimeout(50); // what was written in the tick in which the upload begins counts as later
  const fd = openSync(at('data/a'), 'r+');

  const { status, stdout } = await upload(...REMOVE, '--yes', '--exclude', '*.tmp', '--receipt', 'mine.json').finally(
    () => closeSync(fd),
  );

  expect(status).toBe(3);
  expect(stdout).toMatch(/stays +a: a program has it open for writing/);
  expect(stdout).toContain('1 path that the upload left out');
  expect(tree()).toEqual(['a', 'dir', 'dir/hard', 'dir/note.tmp']);
  expect(json(readFileSync(at('mine.json'), 'utf8'))).toMatchObject({ status: 'complete' });
});

test('content that an earlier version holds is read back too, and damage there keeps everything', async () => {
  await upload();
  flipChunks();
  writeFileSync(at('data/new'), 'new');
  const before = tree();

  const { status, stderr } = await upload('--incremental', ...REMOVE, '--yes');

  expect(status).toBe(1);
  expect(stderr).toMatch(/version 2 is committed .* nothing of the source was removed: what is stored is damaged/);
  expect(tree()).toEqual(before);
  expect(() => statSync(at('home/receipts'))).toThrow('ENOENT');
});

test('a difference removes what it has seen, not what a version before has and this upload leaves out', async () => {
  writeFileSync(at('data/dir/keep.tmp'), 'seen by the first');
  await upload();

  const { status, stdout } = await upload('--incremental', '--exclude', '*.tmp', ...REMOVE, '--yes', '--json');

  expect([status, json(stdout)]).toMatchObject([
    0,
    { version: 1, gone: 1, removedSource: { files: 7, directories: 1, failed: [], keptCount: 1 } },
  ]);
  expect(tree()).toEqual(['dir', 'dir/keep.tmp']);
  writeFileSync(at('data/next'), 'next');
  expect(await upload('--incremental', ...REMOVE, '--yes', '--allow-mass-delete')).toMatchObject({ status: 0 });
  expect(tree()).toEqual([]);
});

describe('in a bucket', () => {
  let server: MemoryS3;
  beforeAll(useTestCredentials);
  beforeEach(async () => {
    server = await startMemoryS3('bucket');
    onTestFinished(() => server.close());
  });
  const toBucket = (signal?: AbortSignal): Promise<CommandRun> =>
    runCommand({ root, folder, input: '', env: { AWS_ENDPOINT_URL: server.endpoint }, ...(signal && { signal }) }, [
      'upload',
      'data',
      's3://bucket/p',
      '-q',
      ...REMOVE,
      '--yes',
    ]);

  test('is refused where the version before was sent to a class that cannot be read back at once', async () => {
    const before = tree();
    const cold = ['upload', 'data', 's3://bucket/p', '-q', '--storage-class', 'DEEP_ARCHIVE'];
    const env = { AWS_ENDPOINT_URL: server.endpoint };
    await runCommand({ root, folder, input: '', env }, cold);
    const stored = [...(server.buckets.get('bucket')?.keys() ?? [])];

    const { status, stderr } = await toBucket();

    expect([status, stderr]).toEqual([2, expect.stringMatching(/DEEP_ARCHIVE, .* of the version before/)]);
    expect([...(server.buckets.get('bucket')?.keys() ?? [])]).toEqual(stored);
    expect(tree()).toEqual(before);
  });

  test('interrupted while it reads back, it says that the upload is committed and nothing was removed', async () => {
    const before = tree();
    const stop = new AbortController();
    server.rules.answer = (operation, { key }) => {
      if (operation === 'GetObject' && key.endsWith('.tar.zst')) stop.abort();
      return undefined;
    };

    const { status, stderr } = await toBucket(stop.signal);

    expect([status, stderr]).toEqual([
      130,
      expect.stringMatching(/version 1 is committed .*nothing of the source was removed/),
    ]);
    expect(tree()).toEqual(before);
  });

  test('a key that may not read keeps everything, and the failure says why', async () => {
    const before = tree();
    const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
    server.rules.answer = (operation, { key }) =>
      operation === 'GetObject' && key.includes('uploads/') ? { status: 403, body } : undefined;

    const { status, stderr } = await toBucket();

    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/version 1 is committed .*nothing of the source was removed: .*denied/i),
    ]);
    expect(tree()).toEqual(before);
  });
});

test('a receipt in one of several sources stays there, and is nothing that has come since', async () => {
  mkdirSync(at('more'));
  writeFileSync(at('more/x'), 'x');
  symlinkSync('more', at('link'));
  const receipt = ['--receipt', 'link/r.json'];

  const { status, stderr } = await run('upload', 'data', 'more', store(), '-q', ...REMOVE, '--yes', ...receipt);

  expect([status, stderr]).toEqual([0, expect.not.stringContaining('stays')]);
  expect([tree(), tree('more')]).toEqual([[], ['r.json']]);
});

test('of several sources folders stay empty, and a file goes', async () => {
  mkdirSync(at('more'));
  writeFileSync(at('more/x'), 'x');
  writeFileSync(at('single'), 'one');
  writeFileSync(at('more/.archiver-removing-1a2b3c4d-y'), 'y');

  const { status, stderr } = await run('upload', 'data', 'more', 'single', store(), '-q', ...REMOVE, '--yes');

  expect(status).toBe(0);
  expect(stderr).toContain('more/.archiver-removing-1a2b3c4d-y is a file that a removal was about to remove');
  expect([tree(), tree('more')]).toEqual([[], []]);
  expect(() => statSync(at('single'))).toThrow('ENOENT');
});

test.each([
  ['without an answer', [], /add --yes to answer yes/],
  ['in a dry run', ['--yes', '--dry-run'], /cannot be combined with --dry-run/],
  ['without checksums', ['--yes', '--no-file-checksums'], /needs the MD5 of every file/],
  ['over a receipt', ['--yes', '--receipt', 'data/a'], /is there already/],
  ['with a receipt in no folder', ['--yes', '--receipt', 'no/r.json'], /is not there/],
])('is refused %s, before anything is sent', async (_, flags, message) => {
  const before = tree();

  const { status, stderr } = await upload(...REMOVE, ...flags);

  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  expect(tree()).toEqual(before);
  expect(() => statSync(at('store'))).toThrow('ENOENT');
});

test.each(['GLACIER', 'DEEP_ARCHIVE'])('is refused for %s, which cannot be read back at once', async (name) => {
  const { status, stderr } = await run('upload', 'data', 's3://bucket', ...REMOVE, '--yes', '--storage-class', name);

  expect([status, stderr]).toEqual([2, expect.stringContaining(`${name} takes hours to be read`)]);
});

test('is refused for stdin and for a sync', async () => {
  expect(await run('upload', '-', store(), '--name', 'x', ...REMOVE, '--yes')).toMatchObject({ status: 2 });
  expect(await run('sync', 'data', store(), ...REMOVE, '--yes')).toMatchObject({ status: 2 });
});

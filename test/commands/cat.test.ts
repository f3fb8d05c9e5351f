import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { command as cat } from '../../src/commands/cat.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as upload } from '../../src/commands/upload.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { writeObjects } from '../support/make-dataset.js';
import { type ArchiveSpec, type FileSpec, makeArchive, UPLOAD_ID } from '../support/make-archive.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const FILES: FileSpec[] = [
  { path: 'a.txt', content: 'alpha\n' },
  { path: 'dir', type: 'directory' },
  { path: 'dir/b.csv', content: 'beta\n', chunk: 1 },
  { path: 'dir/\u001b[31mred.txt', content: '\u001b[31mred\n' },
  { path: 'link', type: 'symlink', target: 'a.txt' },
  { path: 'null.bin', content: Buffer.from([1, 0, 2]) },
];
const root = treeOf([cat, restore, upload], [], 'test');
let folder = '';
let url = '';

const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
const onTerminal = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder, columns: 80 }, argv);
const useStore = async (spec: ArchiveSpec): Promise<void> =>
  await writeObjects(join(folder, 'store'), makeArchive(spec).objects);

beforeEach(async () => {
  folder = await tempFolder();
  url = `file://${join(folder, 'store')}/uploads/${UPLOAD_ID}`;
  await useStore({ files: FILES });
});

describe('cat', () => {
  it('prints files in the order in which they are named, and nothing else', async () => {
    const printed = await run('cat', url, '--file', 'dir/b.csv', '--file', './a.txt');

    expect(printed).toEqual({ status: 0, stdout: 'beta\nalpha\n', stderr: '' });
  });

  it('prints a file of the version of a dataset that is named', async () => {
    mkdirSync(join(folder, 'source'));
    for (const text of ['one', 'two']) {
      writeFileSync(join(folder, 'source', 'a'), text);
      await run('upload', 'source', './versions', '--dataset-id', 'd-1', '-q');
    }

    const newest = await run('cat', './versions', '--file', 'a');
    const first = await run('cat', './versions', '--file', 'a', '--version', '1');

    expect([newest.stdout, first.stdout]).toEqual(['two', 'one']);
  });

  test.each([
    ['dir', `dir is a folder`, 'restore .* --to-tar - --file dir'],
    ['/', '/ is a folder', '--to-tar - --all'],
    ['link', 'link is a symbolic link to a.txt', 'name that instead'],
  ])('refuses what has no content: %s', async (name, why, hint) => {
    const { status, stdout, stderr } = await run('cat', url, '--file', 'a.txt', '--file', name);

    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(new RegExp(`${why}[^]*${hint}`))]);
  });

  it('prints nothing when one of the files is not there', async () => {
    const { status, stdout, stderr } = await run('cat', url, '--file', 'a.txt', '--file', 'none');

    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('none: not in this upload')]);
  });

  it('escapes on a terminal what a terminal would obey, and refuses what is no text', async () => {
    const text = await onTerminal('cat', url, '--file', 'dir/\\x1b[31mred.txt');
    const binary = await onTerminal('cat', url, '--file', 'null.bin');

    expect(text.stdout).toBe('\\x1b[31mred\n');
    expect([binary.status, binary.stdout, binary.stderr]).toEqual([2, '', expect.stringContaining('> FILE')]);
    expect((await run('cat', url, '--file', 'null.bin')).stdout).toBe('\u0001\0\u0002');
  });

  it('ends with 1 and says what is wrong with what it has printed when the digest of the file does not fit', async () => {
    await useStore({ files: FILES, bend: ({ files }) => Object.assign(files[0] ?? {}, { md5: 'f'.repeat(32) }) });

    const { status, stdout, stderr } = await run('cat', url, '--file', 'a.txt');

    expect([status, stdout]).toEqual([1, 'alpha\n']);
    expect(stderr).toMatch(/a\.txt: its content does not have the size and MD5[^]*6 bytes of a\.txt were written/);
  });

  it('names what it costs, and the command that asks for it, where a file lies in cold storage', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD']);
    const at = `s3://cold/uploads/${cold.archive.uploadId}`;
    const endpoint = ['--endpoint-url', cold.s3.endpoint];

    const { status, stdout, stderr } = await run('cat', at, '--file', 'file-0', ...endpoint);
    const warm = await run('cat', at, '--file', 'file-1', ...endpoint);

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('file-0 is in GLACIER and not readable yet; getting it costs less than $0.01');
    expect(stderr).toContain(`archiver restore ${at} ./out --file file-0\n`);
    expect([warm.status, warm.stderr]).toEqual([0, '']);
  });

  it('has no JSON', async () => {
    const { status, stdout } = await run('cat', url, '--file', 'a.txt', '--json');

    expect([status, json(stdout)['error']]).toEqual([2, expect.objectContaining({ code: 'usage' })]);
  });
});

describe('restore to -', () => {
  it('prints the one file, and makes no folder of that name', async () => {
    const printed = await run('restore', url, '-', '--file', 'dir/b.csv');

    expect(printed).toEqual({ status: 0, stdout: 'beta\n', stderr: '' });
    expect(existsSync(join(folder, '-'))).toBe(false);
  });

  test.each([
    [['--all'], '--to-tar -'],
    [['--file', 'a.txt', '--file', 'dir/b.csv'], '--to-tar -'],
    [['--pattern', '*.txt'], '--to-tar -'],
    [['--file', 'a.txt', '--overwrite', 'never', '--flatten'], '--overwrite and --flatten can do nothing'],
    [['--file', 'a.txt', '--dry-run'], '--dry-run can do nothing'],
    [['--file', 'a.txt', '--json'], 'no --json'],
  ])('refuses %j', async (flags, why) => {
    const { status, stdout, stderr } = await run('restore', url, '-', ...flags);

    expect([status, stdout + stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(stdout).not.toContain('alpha');
  });

  it('still makes a folder that is called ./-', async () => {
    await run('restore', url, './-', '--file', 'a.txt', '-q');

    expect(existsSync(join(folder, '-', 'a.txt'))).toBe(true);
  });
});

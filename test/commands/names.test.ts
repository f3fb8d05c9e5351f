// Names that are not UTF-8, or look as if they were not: what is printed can be typed, for every command that takes paths.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { command as download } from '../../src/commands/download.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as shell } from '../../src/commands/shell.js';
import { command as upload } from '../../src/commands/upload.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([download, list, restore, shell, upload], [], 'test');
/** Bytes as latin1, and how they are shown and typed. */
const NAMES = [
  ['a\xff\x62', String.raw`a\xffb`],
  ['a\xef\xbf\xbdb', String.raw`a\xef\xbf\xbdb`],
  [String.raw`a\xffb`, String.raw`a\x5cxffb`],
  [String.raw`a\b`, String.raw`a\b`],
  ['c1\xc2\x85', String.raw`c1\xc2\x85`],
  ['bidi\xe2\x80\xae', String.raw`bidi\xe2\x80\xae`],
  ['new\nline', String.raw`new\x0aline`],
  ['d\xff/\xc3\xa9\xfe', String.raw`d\xff/\xc3\xa9\xfe`],
] as const;

let folder = '';
let url = '';
const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
const bytes = (name: string): Buffer => Buffer.from(name, 'latin1');
const below = (path: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${join(folder, path)}/`), bytes(name)]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  mkdirSync(join(folder, 'source'));
  mkdirSync(below('source', 'd\xff'));
  for (const [name, shown] of NAMES) writeFileSync(below('source', name), shown);
  await run('upload', join(folder, 'source'), `file://${folder}/store`, '--quiet');
  url = `file://${folder}/store/uploads/${readdirSync(join(folder, 'store/uploads'))[0] ?? ''}`;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(NAMES)('%j', (name, shown) => {
  it('is listed as it can be typed', async () => {
    const { stdout } = await run('list', url);
    expect(stdout.split('\n').filter((line) => line.endsWith(` ${shown}`))).toHaveLength(1);
  });

  it('is found by that as a pattern, and nothing else is', async () => {
    const pattern = shown === String.raw`a\b` ? String.raw`a\x5cb` : shown;
    const { stdout } = await run('list', url, '--pattern', pattern);
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(/ /)]);
    expect(stdout.trimEnd().endsWith(` ${shown}`)).toBe(true);
  });

  it.each(['--file', '--files'])('is got by %s, and nothing else is', async (flag) => {
    const out = `out-${flag}-${Buffer.from(name, 'latin1').toString('hex')}`;
    const ran = await run(flag === '--file' ? 'restore' : 'download', url, out, flag, shown);

    expect(ran).toMatchObject({ status: 0 });
    expect(readFileSync(below(out, name), 'utf8')).toBe(shown);
    expect(readdirSync(join(folder, out), { encoding: 'buffer' })).toHaveLength(1);
  });

  it('is what lines of the shell mean by it, quoted or not', async () => {
    const typed = shown === String.raw`a\b` ? String.raw`a\\b` : shown;
    const ran = await run(
      'shell',
      url,
      '-c',
      `cat ${typed} '${shown}'`,
      '-c',
      `stat '${shown}'`,
      '-c',
      `find '${shown}'`,
    );

    expect(ran.stderr).toBe('');
    expect(ran.stdout.startsWith(`${shown}${shown}path      /${shown}\n`)).toBe(true);
    expect(ran.stdout.endsWith(`\n${shown}\n`)).toBe(true);
  });
});

test('the shell enters such a folder, takes globs in it and gets what lies there', async () => {
  const lines = [String.raw`cd d\xff`, 'pwd', String.raw`ls *\xfe`, String.raw`get \xc3\xa9\xfe got`];
  const ran = await run('shell', url, ...lines.flatMap((line) => ['-c', line]));

  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toContain(`${String.raw`/d\xff`}\n  ${String.raw`\xc3\xa9\xfe`}  `);
  expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(String.raw`d\xff/\xc3\xa9\xfe`);
});

test.each<[argv: string[], env: Record<string, string>, what: string]>([
  [['restore', 'URL', 'lost', '--file', 'a\ufffdb'], {}, '--file'],
  [['restore', 'URL', 'lost'], { ARCHIVER_RESTORE_FILE: 'a\ufffdb' }, 'ARCHIVER_RESTORE_FILE'],
  [['download', 'URL', 'lost', '--files', 'a\ufffdb'], {}, '--files'],
  [['list', 'URL', '--pattern', 'a\ufffdb'], {}, '--pattern'],
  [['upload', 'a\ufffdb', 'file:///nowhere'], {}, 'SOURCE'],
  [['shell', 'URL', '-c', 'cat a\ufffdb'], {}, '--command'],
])('%j with %j is refused, and told how to write it', async (argv, env, what) => {
  const ran = await runCommand(
    { root, folder, env },
    argv.map((word) => (word === 'URL' ? url : word)),
  );

  expect(ran).toMatchObject({ status: 2, stdout: '' });
  expect(ran.stderr).toContain(`✗ ${what} has bytes that are not UTF-8`);
  expect(ran.stderr).toContain(String.raw`a\xffb'`);
  expect(readdirSync(folder)).not.toContain('lost');
});

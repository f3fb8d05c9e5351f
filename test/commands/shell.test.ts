import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { command as list } from '../../src/commands/list.js';
import { command as shell } from '../../src/commands/shell.js';
import { DATASET, makeDataset, writeObjects } from '../support/make-dataset.js';
import { type ArchiveSpec, type FileSpec, inOrder, makeArchive, md5, UPLOAD_ID } from '../support/make-archive.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { errorAnswer } from '../support/memory-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([shell, list], [], 'test');
const COMMIT = '9f3c2e1'.padEnd(40, '0');
const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join('');
const FILES: FileSpec[] = [
  { path: 'data', type: 'directory', mode: '0750' },
  { path: 'data/features/part-000.csv', content: LINES, extra: { stage: 'featurize', commit: COMMIT } },
  { path: 'data/features/part-031.csv', content: 'cold', chunk: 1, extra: { stage: 'featurize', commit: COMMIT } },
  { path: 'data/\u001b[31mred.txt', content: 'red' },
  { path: 'link', type: 'symlink', target: 'readme.md' },
  { path: 'my notes.txt', content: 'notes\n', extra: { stage: 'prepare' } },
  { path: 'readme.md', content: 'read me' },
];

let folder = '';
let upload = '';

async function useStore(spec: ArchiveSpec): Promise<void> {
  await writeObjects(join(folder, 'store'), makeArchive(spec).objects);
}

const inShell = (lines: readonly string[], args: readonly string[] = [upload]): Promise<CommandRun> =>
  runCommand({ root, folder }, ['shell', ...args, ...lines.flatMap((line) => ['-c', line])]);

beforeEach(async () => {
  folder = await tempFolder();
  upload = `file://${join(folder, 'store')}/uploads/${UPLOAD_ID}`;
  await useStore({
    files: FILES,
    bend: ({ chunks }) => Object.assign(chunks[1] ?? {}, { storageClass: 'GLACIER' }),
  });
});

describe('looking around', () => {
  test.each<[lines: string[], stdout: string]>([
    [
      ['ls'],
      '  data/              238 B  3 files\n  link -> readme.md   link\n  my notes.txt         6 B  prepare\n  readme.md            7 B\n  6 files, 251 B\n',
    ],
    [
      ['ls data/features'],
      '  part-000.csv  231 B  featurize  9f3c2e1\nc part-031.csv    4 B  featurize  9f3c2e1\n  2 files, 235 B    c = cold, ask for a restore first\n',
    ],
    [
      ['cd data/features', 'pwd', 'cd ..', 'pwd', 'cd /', 'pwd', 'cd data', 'cd', 'pwd'],
      '/data/features\n/data\n/\n/\n',
    ],
    [['cd data; pwd;cd features;', 'pwd; cd /; pwd'], '/data\n/data/features\n/\n'],
    [['find *.csv'], 'data/features/part-000.csv\ndata/features/part-031.csv\n'],
    [['cd data', 'find "features/*-031*"', 'find 000'], 'features/part-031.csv\nfeatures/part-000.csv\n'],
    [['stage list'], '  featurize  2 files  235 B\n  prepare     1 file    6 B\n'],
    [['stage prepare'], '  /my notes.txt  6 B  prepare\n'],
    [['# a remark', '  ', 'head data/features/part-000.csv 2'], 'line 1\nline 2\n'],
    [['head readme.md'], 'read me'],
    [['cat "my notes.txt" readme.md'], 'notes\nread me'],
    [['cat my\\ *'], 'notes\n'],
    [['help pwd'], '  pwd                     the folder that you are in\n'],
  ])('%j', async (lines, stdout) => {
    const ran = await inShell(lines);
    expect(ran).toEqual({ status: 0, stderr: '', stdout });
  });

  it('runs the commands of a line whatever becomes of the one before, and stops at exit', async () => {
    const goesOn = await inShell(['cat nope; pwd; cat none']);
    const ends = await inShell(['cat nope; exit; pwd', 'pwd']);

    expect([goesOn.status, goesOn.stdout, goesOn.stderr]).toEqual([1, '/\n', expect.stringMatching(/nope[^]*none/)]);
    expect([ends.status, ends.stdout]).toEqual([1, '']);
  });

  it('says all that is known of a file, and nothing that is not', async () => {
    const { stdout } = await inShell(['stat data/features/part-000.csv link data']);
    expect(stdout).toBe(
      [
        'path      /data/features/part-000.csv',
        'type      file',
        'modified  2025-11-14 09:30:12+00:00',
        'mode      0644',
        `size      ${LINES.length} B`,
        `md5       ${md5(LINES)}`,
        'chunk     shard-00/chunk-000000.tar.zst',
        'class     STANDARD',
        'stage     featurize',
        `commit    ${COMMIT}`,
        '',
        'path      /link',
        'type      symlink',
        'target    readme.md',
        'modified  2025-11-14 09:30:12+00:00',
        'mode      0644',
        '',
        'path      /data',
        'type      directory',
        'holds     3 files, 238 B',
        'modified  2025-11-14 09:30:12+00:00',
        'mode      0750',
        '',
      ].join('\n'),
    );
  });

  it('prints no name that steers a terminal, wherever it prints to', async () => {
    const ran = await inShell(['ls data', 'stat data/*red.txt', 'find red', 'cd data', 'ls *red.txt']);
    const red = '\\x1b[31mred.txt';

    // oxlint-disable-next-line no-control-regex
    expect(ran.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
    expect(ran.stdout.split('\n').filter((line) => line.includes('red.txt'))).toEqual([
      `  ${red}    3 B`,
      `path      /data/${red}`,
      `data/${red}`,
      `  ${red}  3 B`,
    ]);
  });

  it('pads no row to the width of a long name', async () => {
    const long = `${'n'.repeat(230)}.txt`;
    await useStore({
      files: [
        { path: 'a', content: 'one' },
        { path: long, content: 'three' },
      ],
    });

    const { stdout } = await inShell(['ls']);

    const [first = '', second] = stdout.split('\n');
    expect(first.length).toBeLessThan(60);
    expect(first).toMatch(/^ {2}a +3 B$/);
    expect(second).toBe(`  ${long}  5 B`);
  });

  it('looks into a version of a dataset', async () => {
    const { objects } = makeDataset([
      {
        files: [
          { path: 'a', content: 'old' },
          { path: 'b', content: 'gone' },
        ],
      },
      { files: [{ path: 'a', content: 'new' }], deleted: ['b'] },
    ]);
    await writeObjects(join(folder, 'versions'), objects);
    const base = `file://${join(folder, 'versions')}`;

    const newest = await inShell(['cat a', 'find *'], [base, '--dataset-id', DATASET]);
    const first = await inShell(['cat a', 'find *'], [base, '--dataset-id', DATASET, '--version', '1']);
    const named = await inShell(['cat a'], [base, '--dataset-id', DATASET, '--version', 'v1']);
    const latest = await inShell(['cat a'], [base, '--dataset-id', DATASET, '--version', 'latest']);

    expect([newest.stdout, first.stdout]).toEqual(['newa\n', 'olda\nb\n']);
    expect([named.stdout, latest.stdout]).toEqual(['old', 'new']);
  });
});

describe('what goes wrong', () => {
  test.each<[line: string, stderr: RegExp, status: number]>([
    ['cat nope', /^✗ there is no nope in this archive\n/, 1],
    ['cat *.nope', /^✗ nothing matches \*\.nope\n/, 1],
    ['cat data', /^✗ data is a folder\n/, 2],
    ['cat link', /^✗ link is a symbolic link to readme\.md\n {2}fix {3}name that instead\n/, 2],
    ['cd readme.md', /^✗ readme\.md is not a folder\n/, 1],
    ['cd nope', /^✗ there is no nope/, 1],
    ['head -n many readme.md', /^✗ -n wants a number of lines, not 'many'\n/, 2],
    ['cat', /^✗ cat wants FILE\.\.\.\n {2}fix {3}help cat\n/, 2],
    ['pwd x', /^✗ pwd wants no arguments\n/, 2],
    ['lss', /^✗ there is no command lss; did you mean ls\?\n/, 2],
    ['cat "x', /^✗ the quote " is not closed\n/, 2],
    ['stage nope', /^✗ there is no stage nope\n {2}fix {3}stage list\n/, 1],
    ['ls > /nowhere/x', /^✗ cannot write \/nowhere\/x: there is no such folder\n/, 1],
    ['get readme.md /nowhere/x', /^✗ cannot write to \/nowhere\n/, 1],
  ])('%j', async (line, stderr, status) => {
    const ran = await inShell([line]);
    expect(ran).toMatchObject({ status, stdout: '' });
    expect(ran.stderr).toMatch(stderr);
  });

  it('goes on after a line that failed; the status is that of the last, or where exit stands', async () => {
    expect(await inShell(['cat nope', 'pwd'])).toMatchObject({ status: 0, stdout: '/\n' });
    expect(await inShell(['pwd', 'cat nope'])).toMatchObject({ status: 1 });
    expect(await inShell(['cat nope', 'exit', 'pwd'])).toMatchObject({ status: 1, stdout: '' });
    expect(await inShell(['cat nope', '# nothing'])).toMatchObject({ status: 1 });
  });

  it('prints nothing of any file when one of them is not there', async () => {
    expect((await inShell(['cat readme.md nope'])).stdout).toBe('');
  });

  it('says so where no file has a stage, and what it leaves out', async () => {
    await useStore({
      files: [
        { path: 'a', content: 'x' },
        { path: 'b', content: 'x' },
      ],
      bend: inOrder((files) => Object.assign(files[1] ?? {}, { path: 'a/../../b' })),
    });
    const ran = await inShell(['stage list', 'find *']);
    expect(ran.stderr).toMatch(/^✗ no file of this archive has a DVC stage\n/);
    expect(ran.stdout).toBe('a\n');
  });

  it('has no --json, and wants an upload when anything is said of one', async () => {
    const json = await runCommand({ root, folder }, ['shell', upload, '--json']);
    expect([json.status, (JSON.parse(json.stdout) as { error: { code: string } }).error.code]).toEqual([2, 'usage']);
    expect((await inShell(['ls'], [`file://${folder}/store`])).stderr).toContain('there is no dataset under');
    expect((await inShell(['ls'], ['--upload-id', UPLOAD_ID])).stderr).toContain('no store is named');
  });

  it('refuses what goes with an upload where none is named', async () => {
    const ran = await runCommand({ root, folder }, ['shell', '--region', 'r', '--memory-limit', '1GiB', '-c', 'help']);

    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain('✗ --region and --memory-limit can do nothing without S3_URL or --bucket\n');
  });
});

describe('cold storage', () => {
  it('says which class a file is in and how to ask for it; what is readable is read', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD']);
    const url = `s3://cold/uploads/${cold.archive.uploadId}`;
    const ran = await inShell(
      ['cat file-0', 'head file-0', 'cat file-1 | wc -c'],
      [url, '--endpoint-url', cold.s3.endpoint],
    );

    const told = `✗ file-0 is in GLACIER and not readable yet\n`;
    expect(ran.stderr.split(told)).toHaveLength(3);
    expect(ran.stderr).toContain(`  fix   archiver restore ${url} ./out --file file-0\n`);
    expect([ran.status, ran.stdout.trim()]).toEqual([0, '5000']);
    // The manifest, whether a record names it, and one request for each file that was asked for.
    expect(cold.requests()).toEqual({ GetObject: 4, ListObjectsV2: 2 });
  });

  it.each(['cat file-1 | wc -c', 'get file-1 out/'])(
    'says of %s when the store fails, since when, and which try is next',
    async (line) => {
      const { s3, archive } = await makeColdArchive(['GLACIER', 'STANDARD']);
      let failures = 2;
      s3.rules.answer = (operation, { key }) =>
        operation === 'GetObject' && key.includes('shard-') && failures-- > 0
          ? errorAnswer(503, 'InternalError', 'not now')
          : undefined;
      const ran = await inShell([line], [`s3://cold/uploads/${archive.uploadId}`, '--endpoint-url', s3.endpoint]);

      expect(ran.status).toBe(0);
      expect(ran.stderr).toMatch(
        /^! the store: cannot be read since \d\d:\d\d, try 2 of 10: .*503 InternalError\n! the store: cannot be read since \d\d:\d\d, try 3 of 10: .*\n$/,
      );
    },
  );

  it('names the command that thaws when a get fails', async () => {
    const { s3, archive } = await makeColdArchive(['GLACIER', 'STANDARD']);
    const url = `s3://cold/uploads/${archive.uploadId}`;
    const ran = await inShell(
      ['get file-1 out/', 'get file-* out', 'get file-0 copy'],
      [url, '--endpoint-url', s3.endpoint],
    );

    const fix = `  fix   archiver restore ${url} ./out --file file-0`;
    expect(ran.status).toBe(1);
    expect(ran.stdout).toBe(`1 file, 4.9 KiB to ${join(folder, 'out')}\n`);
    expect(ran.stderr).toContain(`✗ some of 2 paths: in cold storage and not readable yet\n`);
    expect(ran.stderr).toContain(`${fix} --file file-1\n`);
    expect(ran.stderr).toContain(`✗ file-0: in cold storage and not readable yet\n`);
    expect(ran.stderr.endsWith(`${fix}\n`)).toBe(true);
    expect(readdirSync(folder).filter((name) => /copy|archiver-get/.test(name))).toEqual([]);
  });
});

describe('output elsewhere', () => {
  it('goes to a program of this computer, whose status counts', async () => {
    expect((await inShell(['cat data/features/part-000.csv | tail -n 1'])).stdout).toBe('line 30\n');
    expect(await inShell(['ls | exit 7'])).toMatchObject({ status: 7, stderr: '' });
    expect(await inShell(['cat nope | cat'])).toMatchObject({ status: 1 });
  });

  it('ends quietly when the program has read enough', async () => {
    await useStore({ files: [{ path: 'big', content: 'some line of text\n'.repeat(500_000) }] });
    expect(await inShell(['cat big | head -n 1'])).toEqual({ status: 0, stdout: 'some line of text\n', stderr: '' });
  });

  it('goes to a file, or behind what is in one', async () => {
    await inShell(['cat readme.md > "a file"', 'pwd >> "a file"']);
    expect(readFileSync(join(folder, 'a file'), 'utf8')).toBe('read me/\n');
  });
});

describe('get', () => {
  const tree = (name: string): string[] => readdirSync(join(folder, name), { recursive: true }).map(String).sort();

  it('puts files by their base name, folders with their whole path', async () => {
    const files = await inShell(['get data/features/*.csv out']);
    expect(files).toMatchObject({ status: 0, stdout: `2 files, 235 B to ${join(folder, 'out')}\n` });
    expect(tree('out')).toEqual(['part-000.csv', 'part-031.csv']);

    await inShell(['cd data', 'get features tree']);
    expect(tree('tree')).toEqual(['data', 'data/features', 'data/features/part-000.csv', 'data/features/part-031.csv']);
  });

  it('puts one file under another name, with its time and mode, over what was there', async () => {
    writeFileSync(join(folder, 'copy.md'), 'old');
    expect((await inShell(['get readme.md copy.md'])).status).toBe(0);
    expect(readFileSync(join(folder, 'copy.md'), 'utf8')).toBe('read me');
    expect(statSync(join(folder, 'copy.md')).mtime.toISOString()).toBe('2025-11-14T09:30:12.123Z');
    expect(readdirSync(folder).filter((name) => name.startsWith('.archiver-get'))).toEqual([]);
  });

  it('puts a file into a folder that is there, and by default where archiver runs', async () => {
    mkdirSync(join(folder, 'there'));
    await inShell(['get readme.md there', 'get "my notes.txt"']);
    expect(tree('there')).toEqual(['readme.md']);
    expect(readFileSync(join(folder, 'my notes.txt'), 'utf8')).toBe('notes\n');
  });

  it('names what fails and how to get it, and keeps the rest', async () => {
    await useStore({
      files: FILES,
      bend: ({ files }) => Object.assign(files.find(({ path }) => path === 'readme.md') ?? {}, { md5: md5('another') }),
    });
    const ran = await inShell(['get {readme,my*}* out']);
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain('readme.md: ');
    expect(tree('out')).toEqual(['my notes.txt']);
  });
});

describe('without an archive', () => {
  it('runs every command, with or without the word archiver', async () => {
    const ran = await inShell([`list ${upload} --pattern "*.md"`, `archiver list ${upload} --json | head -c 12`], []);
    expect(ran.stdout).toMatch(/readme\.md\n\{"schemaVers$/);
    expect(ran.status).toBe(0);
  });

  it('tells failures as the program does, refuses itself, and ends with the last status', async () => {
    const ran = await inShell(['lst', 'shell', 'list --nope'], []);
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain('"lst" is not a command; did you mean "list"?');
    expect(ran.stderr).toContain('this is the shell already');
    expect(ran.stderr).toContain('--nope');
  });

  it('lists the commands with help', async () => {
    expect((await inShell(['help'], [])).stdout).toContain('shell  look around');
  });
});

// The options that people type in the shell of an archive.
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { command as shell } from '../../../src/commands/shell.js';
import { type FileSpec, makeArchive, UPLOAD_ID } from '../../support/make-archive.js';
import { writeObjects } from '../../support/make-dataset.js';
import { type CommandRun, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const owned = { uid: 1000, gid: 100 };
const FILES: FileSpec[] = [
  { path: '.hidden', content: 'h', mtime: '2025-01-04T00:00:00.000000000Z', extra: owned },
  { path: 'data', type: 'directory', mode: '2750', mtime: '2025-01-05T00:00:00.000000000Z', extra: owned },
  { path: 'data/big.CSV', content: 'x'.repeat(2000), mtime: '2025-01-01T00:00:00.000000000Z', extra: owned },
  {
    path: 'data/cold.csv',
    content: 'cold',
    chunk: 1,
    mtime: '2025-01-03T00:00:00.000000000Z',
    mode: '4755',
    extra: owned,
  },
  { path: 'data/deep/er/leaf', content: 'leaf', mtime: '2025-01-02T00:00:00.000000000Z', extra: owned },
  {
    path: 'link',
    type: 'symlink',
    target: 'readme.md',
    mode: '0777',
    mtime: '2025-01-02T00:00:00.000000000Z',
    extra: owned,
  },
  { path: 'readme.md', content: 'one\ntwo\nthree\n', mtime: '2025-01-06T12:00:00.000000000Z', extra: owned },
];

let folder = '';
let upload = '';

const inShell = (...lines: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: treeOf([shell], [], 'test'), folder }, [
    'shell',
    upload,
    ...lines.flatMap((line) => ['-c', line]),
  ]);

const outputOf = async (...lines: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await inShell(...lines);
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};

beforeEach(async () => {
  folder = await tempFolder();
  upload = `file://${join(folder, 'store')}/uploads/${UPLOAD_ID}`;
  const { objects } = makeArchive({
    files: FILES,
    bend: ({ chunks }) => Object.assign(chunks[1] ?? {}, { storageClass: 'GLACIER' }),
  });
  await writeObjects(join(folder, 'store'), objects);
});

describe('ls', () => {
  it('shows mode, owner, size, time, name and target with -l, and human sizes with -h', async () => {
    expect(await outputOf('ls -la')).toBe(
      [
        '  -rw-r--r--  1000:100   1  2025-01-04 00:00:00+00:00  .hidden',
        '  drwxr-s---  1000:100   -  2025-01-05 00:00:00+00:00  data/',
        '  lrwxrwxrwx  1000:100   0  2025-01-02 00:00:00+00:00  link -> readme.md',
        '  -rw-r--r--  1000:100  14  2025-01-06 12:00:00+00:00  readme.md',
        '  1 folder, 3 files, 15 B',
        '',
      ].join('\n'),
    );
    expect(await outputOf('cd data', 'ls -lh')).toBe(
      [
        '  -rw-r--r--  1000:100  2.0 KiB  2025-01-01 00:00:00+00:00  big.CSV',
        'c -rwsr-xr-x  1000:100      4 B  2025-01-03 00:00:00+00:00  cold.csv',
        '  d---------  -               -  -                          deep/',
        '  1 folder, 2 files, 2.0 KiB    c = cold, ask for a restore first',
        '',
      ].join('\n'),
    );
  });

  test.each<[line: string, names: string]>([
    ['ls -1', '.hidden data/ link readme.md'],
    ['ls -1r', 'readme.md link data/ .hidden'],
    ['ls -1t', 'readme.md data/ .hidden link'],
    ['ls -1tr', 'link .hidden data/ readme.md'],
    ['ls -1 -S data', 'big.CSV cold.csv deep/'],
    ['ls -1St data', 'cold.csv big.CSV deep/'],
    ['ls -1d data readme.md', 'data/ readme.md'],
    ['ls -1d', './'],
    ['ls -1d */', 'data/'],
    ['ls -1R', './: .hidden data/ link readme.md data/: big.CSV cold.csv deep/ data/deep/: er/ data/deep/er/: leaf'],
    ['ls -1 -- data/deep', 'er/'],
  ])('%j lists %j', async (line, names) => {
    expect((await outputOf(line)).split('\n').filter(Boolean).join(' ')).toBe(names);
  });
});

describe('find', () => {
  test.each<[line: string, paths: string]>([
    ['find', '.hidden data/ data/big.CSV data/cold.csv data/deep/ data/deep/er/ data/deep/er/leaf link readme.md'],
    ['find csv', 'data/cold.csv'],
    ['find . -iname "*.csv"', 'data/big.CSV data/cold.csv'],
    ['find -name *.csv', 'data/cold.csv'],
    ['find data -type d', 'data/deep/ data/deep/er/'],
    ['find . -type l', 'link'],
    ['find data link -type f -name "*[dl]*"', 'data/cold.csv data/deep/er/leaf'],
    ['find . -size +1k', 'data/big.CSV'],
    ['find . -size -2k -type f', '.hidden data/cold.csv data/deep/er/leaf readme.md'],
    ['find . -size 4c', 'data/cold.csv data/deep/er/leaf'],
    ['find data -maxdepth 1 -type f', 'data/big.CSV data/cold.csv'],
    ['cd data/deep; find /data -name leaf', 'er/leaf'],
    ['cd data/deep; find .. -name "c*"', '/data/cold.csv'],
    ['find readme.md -name "*.md"', 'readme.md'],
  ])('%j finds %j', async (line, paths) => {
    expect((await outputOf(line)).trimEnd().replaceAll('\n', ' ')).toBe(paths);
  });
});

describe('du, tree, head and cd', () => {
  test.each<[lines: string, stdout: string]>([
    ['du', '4         data/deep/er\n4         data/deep\n2008      data\n2023      .\n'],
    ['du -sh data readme.md', '2.0 KiB   data\n14 B      readme.md\n'],
    ['du -h -d1', '2.0 KiB   data\n2.0 KiB   .\n'],
    ['du --max-depth=1 data', '4         data/deep\n2008      data\n'],
    [
      'tree',
      '.\n├── .hidden\n├── data/\n│   ├── big.CSV\n│   ├── cold.csv\n│   └── deep/\n│       └── er/\n│           └── leaf\n' +
        '├── link -> readme.md\n└── readme.md\n\n3 folders, 6 files\n',
    ],
    ['tree -L 1 data', 'data\n├── big.CSV\n├── cold.csv\n└── deep/\n\n1 folder, 2 files\n'],
    ['tree -d', '.\n└── data/\n    └── deep/\n        └── er/\n\n3 folders\n'],
    ['head -n 1 readme.md data/cold.csv', '==> readme.md <==\none\n\n==> data/cold.csv <==\ncold'],
    ['head -2 readme.md', 'one\ntwo\n'],
    ['head -n1 readme.md', 'one\n'],
    ['head -c 5 readme.md', 'one\nt'],
    ['head readme.md 1', 'one\n'],
    ['head -n 0 readme.md', ''],
    ['cd data/deep; cd /; cd -; cd -; pwd', '/data/deep\n/\n/\n'],
  ])('%j prints %j', async (line, stdout) => {
    expect(await outputOf(line)).toBe(stdout);
  });
});

describe('what is not known', () => {
  test.each<[line: string, stderr: RegExp]>([
    [
      'ls -lZ',
      /^✗ ls has no option -Z; it has -l, -h, .*, -d\n {2}fix {3}help ls; a name that begins with - is typed \.\/-Z\n$/,
    ],
    ['ls --color', /^✗ ls has no option --color; /],
    ['pwd -P', /^✗ pwd has no options, such as -P\n/],
    ['find . -mtime -7', /^✗ find has no option -mtime; it has -name GLOB, /],
    ['find . -name', /^✗ -name wants GLOB behind it\n/],
    ['find . -type p', /^✗ -type wants f, d or l, not 'p'/],
    ['find . -size +many', /^✗ -size wants \[\+-\]N\[ckMG\] such as \+10M, not '\+many'\n/],
    ['find a b', /^✗ find wants one PATTERN, or folders and a test/],
    ['tree -L 0', /^✗ -L wants 1 level or more\n/],
    ['du -d x', /^✗ -d wants a number of levels, such as 1, not 'x'\n/],
    ['cd -', /^✗ there is no folder to go back to yet\n/],
  ])('%j is refused', async (line, stderr) => {
    const ran = await inShell(line);
    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toMatch(stderr);
  });

  it('says with help, and with --help, what the options of a command do', async () => {
    const help = await outputOf('help tree');

    expect(help).toMatch(/^ {2}tree \[-ad\] \[-L N\] \[FOLDER\]\n.*\n {4}-L N +N levels deep/);
    expect(await outputOf('tree --help')).toBe(help);
    expect(await outputOf('help')).toContain('help COMMAND says what its options do');
  });
});

// What filters leave of random trees is what find says.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { command as list } from '../../../src/commands/list.js';
import { command as restore } from '../../../src/commands/restore.js';
import { command as sync } from '../../../src/commands/sync.js';
import { command as upload } from '../../../src/commands/upload.js';
import { randomOf } from '../../core/archive/random-tree.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([upload, sync, list, restore], [], 'test');
const run = async (folder: string, argv: readonly string[], input?: string): Promise<CommandRun> =>
  await runCommand({ root, folder, ...(input === undefined ? {} : { input }) }, [...argv, '--progress-format', 'none']);

const FOLDERS = ['d', 'd-x', 'café', 'long name', 'data.csv', '~'];
const FILES = ['a.csv', 'b.csv', 'c.tmp', 'run-1.log', 'run-22.log', '-rf', 'Ä.txt', 'new\nline'];

/** Makes a folder of files of 0 to 40 bytes, links, empty folders and some with a tag. */
function makeTree(folder: string, seed: number): void {
  const random = randomOf(seed);
  const fill = (at: string, depth: number): void => {
    mkdirSync(at, { recursive: true });
    for (const name of FILES) if (random() < 0.5) writeFileSync(join(at, name), 'x'.repeat(Math.floor(random() * 41)));
    if (random() < 0.3) symlinkSync('a.csv', join(at, 'link'));
    if (depth > 0 && random() < 0.4) writeFileSync(join(at, '.nobackup'), random() < 0.5 ? 'keep out' : 'something');
    if (depth < 3) for (const name of FOLDERS) if (random() < 0.5) fill(join(at, name), depth + 1);
  };
  fill(folder, 0);
}

/** Paths that are no folders of which find says that they fit; `%P` is the path below the start. */
const found = (folder: string, expression: readonly string[]): readonly string[] =>
  execFileSync('find', ['.', ...expression], { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    .toString()
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => path.replace(/^\.\//, ''))
    .toSorted();

const P = ['-printf', '%P\\0'];
const FILE = ['!', '-type', 'd'];
const words = (text: string): readonly string[] => text.split(' ');
const isTagged = (test: readonly string[]): readonly string[] => [
  ...words('( -mindepth 1 -type d'),
  ...test,
  ...words('-printf %P/.nobackup\\0 -prune ) -o ! -type d'),
  ...P,
];
/** Flags, and what find is asked for. */
const OPTIONS: Readonly<Record<string, { readonly flags: readonly string[]; readonly find: readonly string[] }>> = {
  include: { flags: ['--include', '*.log'], find: [...FILE, '-name', '*.log', ...P] },
  exclude: { flags: ['--exclude', '*.tmp'], find: [...FILE, '!', '-name', '*.tmp', ...P] },
  regex: {
    flags: ['--regex', '(^|/)d[^/]*/.*\\.(csv|log)$', '--regex', '^[a-z].csv$'],
    find: '-regextype posix-extended ! -type d ( -regex \\./(.*/)?d[^/]*/.*\\.(csv|log) -o -regex \\./[a-z].csv )'
      .split(' ')
      .concat(P),
  },
  largerThan: { flags: ['--larger-than', '20'], find: ['-type', 'f', '-size', '+20c', ...P] },
  smallerThan: {
    flags: ['--smaller-than', '20'],
    find: ['(', '-type', 'l', '-o', '-type', 'f', '-size', '-20c', ')', ...P],
  },
  excludeLargerThan: {
    flags: ['--exclude-larger-than', '20'],
    find: [...FILE, '!', '(', '-type', 'f', '-size', '+20c', ')', ...P],
  },
  excludeIfPresent: {
    flags: ['--exclude-if-present', '.nobackup'],
    find: isTagged(['-exec', 'test', '-e', '{}/.nobackup', ';']),
  },
  excludeIfPresentWith: {
    flags: ['--exclude-if-present', '.nobackup:keep'],
    find: isTagged(['-exec', 'grep', '-qs', '^keep', '{}/.nobackup', ';']),
  },
  filesFrom: {
    flags: ['--files-from-raw', 'list'],
    find: [...FILE, '(', '-path', './d/*', '-o', '-path', './a.csv', '-o', '-path', './café/d-x/*', ')', ...P],
  },
};
const NAMES = Object.keys(OPTIONS);
const PAIRS = NAMES.flatMap((one, at) => NAMES.slice(at).map((other) => [one, other] as const));
/** With an exclude pattern, include patterns are exceptions of it (docs/decisions/004). */
const isNarrowing = ([one, other]: readonly [string, string]): boolean => one !== 'include' || other !== 'exclude';

interface Planned {
  readonly contents: readonly { readonly path: string; readonly status: string }[];
}

test.each(PAIRS.filter(isNarrowing))('%s and %s leave what find finds of each', async (one, other) => {
  const folder = await tempFolder();
  makeTree(
    join(folder, 'tree'),
    PAIRS.findIndex((pair) => pair[0] === one && pair[1] === other),
  );
  writeFileSync(join(folder, 'list'), ['./d/', 'a.csv', 'café/d-x', ''].join('\0'));
  const chosen = [...new Set([one, other])].map((name) => OPTIONS[name]!);
  const [first = [], second = first] = chosen.map(({ find }) => found(join(folder, 'tree'), find));

  const call = [
    'upload',
    'tree',
    './store',
    '--dry-run',
    '--verbose',
    '--json',
    ...chosen.flatMap(({ flags }) => flags),
  ];
  const { contents } = json((await run(folder, call)).stdout) as unknown as Planned;

  const shown = (path: string): string => path.replace('\n', '\\x0a');
  const left = contents.flatMap(({ path, status }) => (status === 'included' ? [path] : []));
  expect(left.toSorted()).toEqual(
    first
      .filter((path) => second.includes(path))
      .map(shown)
      .toSorted(),
  );
});

test('the options leave something, and not everything, of the trees that are compared', async () => {
  const folder = await tempFolder();
  for (let seed = 0; seed < 10; seed++) makeTree(join(folder, 'trees', String(seed)), seed);
  const all = found(join(folder, 'trees'), [...FILE, ...P]).length;

  for (const { find } of Object.values(OPTIONS)) {
    let count = 0;
    for (const seed of readdirSync(join(folder, 'trees'))) count += found(join(folder, 'trees', seed), find).length;
    expect([count > 20, count < all - 20]).toEqual([true, true]);
  }
});

/** Makes a tree that has something of all that options name. */
function treeWithAll(folder: string): string {
  for (let seed = 0; ; seed++) {
    const tree = join(folder, `tree-${seed}`);
    makeTree(tree, seed);
    if (['d', 'a.csv', 'café/d-x'].every((path) => existsSync(join(tree, path)))) {
      renameSync(tree, join(folder, 'tree'));
      return join(folder, 'tree');
    }
  }
}

/** Folders above these paths. */
const above = (paths: readonly string[]): readonly string[] => {
  const folders = new Set<string>();
  for (const path of paths) for (let at = dirname(path); at !== '.'; at = dirname(at)) folders.add(at);
  return [...folders].toSorted();
};

test.each(['include', 'regex', 'largerThan', 'smallerThan', 'filesFrom'])(
  'of folders, %s leaves those above what is selected, and selects the same of what is stored',
  async (name) => {
    const folder = await tempFolder();
    const tree = treeWithAll(folder);
    writeFileSync(join(folder, 'list'), ['d', 'a.csv', 'café/d-x'].join('\0'));
    const { flags, find } = OPTIONS[name]!;
    const files = found(tree, find);
    // What is listed is archived with all of its folders.
    const listed = ['-type', 'd', '(', '-path', './d', '-o', '-path', './d/*', '-o', '-path', './café/d-x*', ')', ...P];
    const folders = name === 'filesFrom' ? found(tree, listed) : [];

    expect(await run(folder, ['upload', 'tree', './some', ...flags])).toMatchObject({ status: 0 });
    expect(await run(folder, ['restore', './some', './out', '--all'])).toMatchObject({ status: 0 });
    expect(await run(folder, ['upload', 'tree', './all'])).toMatchObject({ status: 0 });
    const selecting = flags
      .map((flag) => (flag === '--include' ? '--pattern' : flag))
      .map((flag) => (flag === '*.log' ? '**/*.log' : flag));
    expect(await run(folder, ['restore', './all', './chosen', ...selecting])).toMatchObject({ status: 0 });

    expect(found(join(folder, 'out'), [...FILE, ...P])).toEqual(files);
    const restored = found(join(folder, 'out'), ['-mindepth', '1', '-type', 'd', ...P]);
    expect(restored).toEqual([...new Set([...above([...files, ...folders]), ...folders])].toSorted());
    expect(found(join(folder, 'chosen'), [...FILE, ...P])).toEqual(files);
  },
);

test('what a list names and is not there, or lies behind a link, is named, and the rest is archived', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'tree', 'sub'), { recursive: true });
  writeFileSync(join(folder, 'tree', 'sub', 'a'), 'a');
  writeFileSync(join(folder, 'tree', 'b'), 'b');
  symlinkSync('sub', join(folder, 'tree', 'link'));

  const lines = 'sub/a\n./gone\nlink/a\nb/c\n\n';
  const done = await run(folder, ['upload', 'tree', './store', '--files-from', '-', '--json'], lines);

  expect(done.status).toBe(3);
  expect(json(done.stdout)).toMatchObject({
    files: 1,
    skipped: [
      { path: 'b/c', reason: 'is in --files-from and does not exist' },
      { path: 'gone', reason: 'is in --files-from and does not exist' },
      { path: 'link/a', reason: 'is in --files-from and lies behind a link, which is not followed' },
    ],
  });
});

test('a list of which nothing is there any more makes no empty version', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'tree'));
  writeFileSync(join(folder, 'tree', 'a'), 'a');
  await run(folder, ['upload', 'tree', './store', '--files-from', '-'], 'a\n');
  rmSync(join(folder, 'tree', 'a'));

  const gone = await run(folder, ['upload', 'tree', './store', '--files-from', '-'], 'a\n');

  expect([gone.status, gone.stderr]).toEqual([4, expect.stringContaining('tree is empty, and version 1 of dataset')]);
});

test.each([
  ['', 'names no path'],
  ['/etc\n', 'has /etc: paths are relative'],
  ['a/../../b\n', 'has a/../../b: paths are relative'],
])('the list %j is refused', async (input, why) => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'tree'));

  const { status, stderr } = await run(folder, ['upload', 'tree', './store', '--files-from', '-'], input);

  expect([status, stderr]).toEqual([2, expect.stringContaining(`--files-from - ${why}`)]);
});

test('a filter that leaves out most of what is there hits the guard of a sync, and nothing is recorded as deleted', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'tree'));
  for (let count = 0; count < 20; count++) writeFileSync(join(folder, 'tree', `f${count}`), 'x'.repeat(count));
  await run(folder, ['sync', 'tree', './store']);

  const call = ['sync', 'tree', './store', '--larger-than', '15'];
  const plain = await run(folder, [...call, '--json']);
  const tracked = await run(folder, [...call, '--track-deletes']);
  const allowed = await run(folder, [...call, '--track-deletes', '--allow-mass-delete', '--json']);

  expect(json(plain.stdout)).toMatchObject({ noChanges: true, deleted: 0, unchanged: 4 });
  expect([tracked.status, tracked.stderr]).toEqual([4, expect.stringContaining('16 of 20 paths of dataset')]);
  expect(json(allowed.stdout)).toMatchObject({ version: 2, deleted: 16 });
});

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { fillGenerated } from '../../../src/core/platform/generated-data.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const SMALL = ['--size', '60KB'];
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, ['benchmark', ...argv]);

type Row = Readonly<Record<string, unknown>> & { readonly algorithm: string; readonly compressionRatio: number };
const rowsOf = ({ stdout }: CommandRun): readonly Row[] => json(stdout)['benchmarks'] as Row[];

describe('generated data', () => {
  test('is compressed by every algorithm at several levels, and the upload is told why it chooses', async () => {
    const ended = await run(...SMALL, '--data-type', 'text', '--json');

    expect(ended.status).toBe(0);
    expect(rowsOf(ended).map(({ algorithm, compressionLevel: level }) => [algorithm, level].join(' '))).toEqual(
      'gzip 1,gzip 6,gzip 9,zlib 1,zlib 6,zlib 9,zstd 1,zstd 3,zstd 9,zstd 19,lz4 ,s2 '.split(','),
    );
    expect(json(ended.stdout)).toMatchObject({
      bytes: 60_000,
      threads: 1,
      dataType: 'text',
      file: null,
      chosenLevels: [{ compressionLevel: 9, share: 1, reason: 'it is text' }],
    });
    expect(rowsOf(ended).filter(({ isChosen }) => isChosen)).toMatchObject([
      { algorithm: 'zstd', compressionLevel: 9 },
    ]);
  });

  test('is money and hours for a TB, at the class and the prices that were asked for', async () => {
    const [standard, deep] = [
      await run(...SMALL, '--data-type', 'random', '--json'),
      await run(
        ...SMALL,
        '--data-type',
        'random',
        '--storage-class',
        'DEEP_ARCHIVE',
        '--region',
        'us-west-2',
        '--json',
      ),
    ];
    const [row, cold] = [rowsOf(standard)[0], rowsOf(deep)[0]];
    const bytesPerSecond = Number(row?.['compressBytesPerSecond']);

    // 10^12 bytes that do not shrink, in GB of 2^30 bytes, at $0.023 and $0.00099.
    expect(Number(row?.['monthlyUsdPerTb']) / row!.compressionRatio ** -1).toBeCloseTo((1e12 / 2 ** 30) * 0.023, 0);
    expect(Number(cold?.['monthlyUsdPerTb'])).toBeCloseTo((1e12 / 2 ** 30) * 0.00099, 1);
    expect(row?.['compressHoursPerTb']).toBeCloseTo(1e12 / bytesPerSecond / 3600, 6);
    expect(json(standard.stdout)).toMatchObject({
      chosenLevels: [{ compressionLevel: 1, reason: 'it hardly shrinks' }],
    });
  });

  test('is cut into blocks for as many threads as there are', async () => {
    const ended = await run('--size', '3500000', '--data-type', 'random', '--threads', '3', '--json');

    expect(json(ended.stdout)).toMatchObject({ bytes: 3_500_000, threads: 3, blockBytes: 1_166_667 });
  });

  test('is a table with bars', async () => {
    const { stdout, status } = await runCommand({ root, folder, columns: 120 }, ['benchmark', ...SMALL]);

    expect(status).toBe(0);
    expect(stdout).toContain('mixed data: 58.6 KiB in blocks of 1.0 MiB, 1 thread');
    expect(stdout).toMatch(/^zstd +3 +\d\.\d\dx +━+╸? .*an upload does$/m);
    expect(stdout).toContain('measured as Snappy, which is valid S2');
    expect(stdout.split('\n').every((line) => line.length <= 120)).toBe(true);
  });
});

describe('--file', () => {
  test('compresses what is there, and says what an upload would choose for each part', async () => {
    const [text, random] = [Buffer.alloc(1 << 20), Buffer.alloc(1 << 20)];
    fillGenerated('text', 0, text);
    fillGenerated('random', 0, random);
    writeFileSync(join(folder, 'both'), Buffer.concat([text, random]));

    const ended = await run('--file', 'both', '--threads', '1', '--json');
    const split = await run('--file', 'both', '--threads', '2', '--format', 'json');

    expect(json(ended.stdout)).toMatchObject({ file: join(folder, 'both'), dataType: null, bytes: 2 ** 21 });
    expect(json(ended.stdout)['chosenLevels']).toHaveLength(1);
    expect(json(split.stdout)['chosenLevels']).toMatchObject([{ compressionLevel: 9 }, { compressionLevel: 1 }]);
  });

  test.each<[string, number, RegExp]>([
    ['gone', 1, /cannot read .*gone \(ENOENT\)/],
    ['.', 2, /is no file(.|\n)*archiver estimate PATH/],
    ['empty', 2, /is empty/],
  ])('%s is refused', async (file, status, message) => {
    writeFileSync(join(folder, 'empty'), '');

    const ended = await run('--file', file);

    expect([ended.status, ended.stderr]).toEqual([status, expect.stringMatching(message)]);
  });
});

test.each<[readonly string[], RegExp]>([
  [['--size', '0'], /at least 1 bytes/],
  [['--file', 'x', '--size', '1MB'], /--file cannot be combined with --size/],
  [['--file', 'x', '--data-type', 'text'], /--file cannot be combined with --size or --data-type|--data-type/],
  [['--threads', '65'], /from 1 to 64/],
  [['--memory-limit', '1GiB'], /--memory-limit/],
])('%j is refused', async (argv, message) => {
  const { status, stderr } = await run(...argv);

  expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('an algorithm whose package is not installed is a row that says so', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    object
  >;
  const bare = join(folder, 'bare');
  cpSync('dist', join(bare, 'dist'), { recursive: true });
  cpSync('package.json', join(bare, 'package.json'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (name === 'lz4-napi') continue;
    const link = join(bare, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }

  const stdout = execFileSync(process.execPath, [join(bare, 'dist/cli.js'), 'benchmark', ...SMALL, '--quiet'], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
  });

  expect(stdout).toMatch(/^lz4 +- +- .*not installed$/m);
  expect(stdout).toContain('lz4: npm install -g zstd-archiver --include=optional');
  expect(stdout).toMatch(/^s2 +- +\d/m);
});

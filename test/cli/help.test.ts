import { describe, expect, test } from 'vitest';
import { helpPage } from '../../src/cli/help.js';
import { commandsUnder, findNode } from '../../src/cli/tree.js';
import { columns, wrap } from '../../src/cli/wrap.js';
import { runSample, sampleTree } from './sample-tree.js';

describe('help', () => {
  test.each([
    [['--help'], 'archiver: a sample'],
    [['-h'], 'archiver: a sample'],
    [[], 'archiver: a sample'],
    [['help'], 'archiver: a sample'],
    [['--color', 'never'], 'archiver: a sample'],
    [['-v'], 'archiver: a sample'],
    [['upload', '--help'], 'archiver upload: upload a folder'],
    [['upload', 'dir', '-h'], 'archiver upload: upload a folder'],
    [['upload', '--dry-run', '--help', 's3://x'], 'archiver upload: upload a folder'],
    [['upload', '-nh'], 'archiver upload: upload a folder'],
    [['--help', 'upload'], 'archiver upload: upload a folder'],
    [['help', 'upload'], 'archiver upload: upload a folder'],
    [['cost', '--help'], 'archiver cost: money'],
    [['help', 'restore', 'jobs'], 'archiver restore jobs: jobs'],
    [['restore', '--help'], 'archiver restore: do restore'],
  ])('%j prints its page on stdout', async (argv, first) => {
    const { status, stdout, stderr } = await runSample(argv);

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')[0]).toBe(first);
  });

  test('--help is a value or an argument where it can only be that', async () => {
    expect((await runSample(['restore', '--', '--help'])).stdout).toBe('restore\n');
    expect((await runSample(['upload', 'dir', '--hash=--help'])).stdout).toBe('');
  });

  test('with --json a page is one document', async () => {
    const { stdout } = await runSample(['cost', '--help', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ call: 'archiver cost', commands: [{ command: 'cost forecast' }] });
  });

  test('a page says everything about a command', async () => {
    const node = findNode(sampleTree(), ['upload']);
    if (node === undefined) throw new Error('no upload');

    await expect(helpPage(node)).toMatchFileSnapshot('./help-upload.txt');
  });

  test('no line is wider than 80 columns', () => {
    const root = sampleTree();
    for (const command of commandsUnder(root)) {
      const page = helpPage(findNode(root, command.path.split(' ')) ?? root);
      expect(page.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
  });
});

describe('columns of text', () => {
  test('wraps at spaces and keeps long words whole', () => {
    expect(wrap('aa bb cccccccc d\ne', 5)).toEqual(['aa bb', 'cccccccc', 'd', 'e']);
  });

  test('a long term stands alone', () => {
    expect(columns('term', ['x', 'y'], 6)).toEqual(['term  x', '      y']);
    expect(columns('longer', ['x'], 6)).toEqual(['longer', '      x']);
  });
});

import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/complete.js';
import { runSample, sampleTree } from './sample-tree.js';

const offered = (...words: string[]) => complete(sampleTree(), words).candidates.map(({ text }) => text);
const paths = (...words: string[]) => complete(sampleTree(), words).paths;

describe('completion', () => {
  test.each([
    [['upl'], ['upload']],
    [[''], ['access-check', 'cost', 'help', 'prune', 'restore', 'upload']],
    [['cost', ''], ['forecast']],
    [['help', 'cost', ''], ['forecast']],
    [['restore', ''], ['jobs']],
    [['restore', 'x', ''], []],
    [['--json', 'cost', 'f'], ['forecast']],
    [['cost', 'forecast', '--da'], ['--days']],
    [['upload', '--no-v'], ['--no-verify']],
    [
      ['upload', '--strategy', ''],
      ['round-robin', 'hash'],
    ],
    [['upload', '--strategy', 'h'], ['hash']],
    [['upload', '--strategy=h'], ['--strategy=hash']],
    [
      ['upload', '--strategy='],
      ['--strategy=round-robin', '--strategy=hash'],
    ],
    [['upload', '--strategy', 'hash', '--stra'], ['--strategy']],
    [['upload', '--dry-run', '--strat'], ['--strategy']],
    [['upload', '--', '--str'], []],
    [['--col'], ['--color']],
    [
      ['--color', 'a'],
      ['auto', 'always'],
    ],
    [['xyzzy', ''], []],
  ])('%j offers %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  test('paths are left to the shell where a path belongs', () => {
    expect(paths('upload', '')).toBe('folder');
    expect(paths('upload', '--dry-run', '')).toBe('folder');
    expect(paths('upload', '--hash', '')).toBe('nothing');
    expect(paths('upload', 'dir', '')).toBe('folder');
    expect(paths('upload', 'dir', 'store', '')).toBe('nothing');
    expect(paths('upload', '--bucket', 'b', '')).toBe('folder');
  });

  test('the hidden command answers one candidate a line', async () => {
    const { status, stdout } = await runSample(['__complete', '--', 'upload', '--dr']);

    expect(status).toBe(0);
    expect(stdout).toBe('--dry-run\tchange nothing\n:nothing\n');
  });
});

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { frontRoot } from '../../src/cli/front.js';
import { helpPage } from '../../src/cli/help.js';
import { program } from '../../src/commands/index.js';
import { CLI } from '../e2e/upload-cli.js';

const said = (...argv: readonly string[]): string =>
  execFileSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', env: {} });

test('what the program says without its commands is what the whole tree says', () => {
  const page = helpPage(program());

  for (const argv of ['--help', '-h', 'help']) expect(said(argv)).toBe(page);
  expect(said('--version')).toBe(`archiver ${pkg.version}\n`);
  // The tree says these.
  expect(said('help', '--help')).toBe(page);
  expect(said('--help', '--quiet')).toBe(page);
});

test('a call that asks more than that takes the tree', () => {
  const front = (...argv: readonly string[]) => frontRoot(argv, {}, () => 'page');

  expect(front('--help')).toMatchObject({ page: 'page', command: undefined });
  expect(front('--version')).not.toHaveProperty('page');
  for (const argv of [
    [],
    ['list'],
    ['--help', '--json'],
    ['list', '--help'],
    ['--version', '--help'],
    ['help', 'list'],
  ])
    expect(front(...argv)).toBeUndefined();
  expect(frontRoot(['--help'], { ARCHIVER_JSON: '1' }, () => 'page')).toBeUndefined();
  expect(frontRoot(['--help'], {}, () => undefined)).toBeUndefined();
  expect(frontRoot(['--version'], {}, () => undefined)).toBeDefined();
});

import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { textAtOnce } from '../../src/cli/at-once.js';
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

test('a call that asks more than that takes the program', () => {
  const texts = { version: '1', helpPage: () => 'page' };
  const said = (argv: readonly string[], env: NodeJS.ProcessEnv = {}): string | undefined =>
    textAtOnce(argv, env, texts);

  expect([said(['--help']), said(['--version'], { ARCHIVER_HOME: '/x' })]).toEqual(['page', 'archiver 1\n']);
  for (const argv of [
    [],
    ['list'],
    ['--help', '--json'],
    ['list', '--help'],
    ['--version', '--help'],
    ['help', 'list'],
  ])
    expect(said(argv)).toBeUndefined();
  expect(said(['--help'], { ARCHIVER_JSON: '1' })).toBeUndefined();
  expect(textAtOnce(['--help'], {}, { ...texts, helpPage: () => undefined })).toBeUndefined();
});

test.each([['--help'], ['--version']])('%s fails where nobody can read it', (flag) => {
  const full = spawnSync('sh', ['-c', `"${process.execPath}" "${CLI}" ${flag} >/dev/full`], {
    encoding: 'utf8',
    env: {},
  });
  expect([full.status, full.stderr]).toEqual([1, expect.stringContaining('no space is left')]);
});

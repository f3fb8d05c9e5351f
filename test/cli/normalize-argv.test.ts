// What meow does on its own, measured, and the form of argv that keeps it from doing so. If a new meow fixes a trap,
// its test fails here and the detour can go.
import { assert, asyncProperty, string } from 'fast-check';
import meow from 'meow';
import { describe, expect, test } from 'vitest';
import { flag, type Flags } from '../../src/cli/flag.js';
import { normalizeArgv } from '../../src/cli/normalize-argv.js';
import { tokenize } from '../../src/cli/tokenize.js';

type Declared = Record<string, { type: 'string' | 'boolean'; isMultiple?: boolean }>;
const bare = (flags: Declared, ...argv: string[]) =>
  meow('', { importMeta: import.meta, pkg: { name: 'archiver' }, argv, flags, autoHelp: false, description: false });

describe('meow alone', () => {
  test('negates a key that nobody declared', () => {
    expect(bare({ noVerify: { type: 'boolean' } }, '--no-verify').flags).toMatchObject({
      noVerify: false,
      verify: false,
    });
  });

  test('takes a missing value for an empty one, or for none', () => {
    expect(bare({ bucket: { type: 'string' } }, '--bucket').flags).toEqual({ bucket: '' });
    expect(bare({ tag: { type: 'string', isMultiple: true } }, '--tag').flags).toEqual({ tag: [] });
    expect(bare({ tag: { type: 'string', isMultiple: true } }, '--tag', 'a', '--tag').flags).toEqual({ tag: ['a'] });
  });

  test('takes a value that starts with a dash for a flag', () => {
    expect(bare({ file: { type: 'string' } }, '--file', '-x').flags).toMatchObject({ file: '' });
  });

  test('eats true and false after a switch', () => {
    const { flags, input } = bare({ dryRun: { type: 'boolean' } }, '--dry-run', 'false');

    expect([flags['dryRun'], input]).toEqual([false, []]);
  });

  test('throws on a repeated flag', () => {
    expect(() => bare({ hash: { type: 'string' } }, '--hash', 'a', '--hash', 'b')).toThrow('can only be set once');
  });

  test('strips quotes from a value', () => {
    expect(bare({ hash: { type: 'string' } }, '--hash="a"').flags).toEqual({ hash: 'a' });
  });
});

const flags: Flags = {
  file: flag.repeat({ describe: 'a file' }),
  hash: flag.text({ describe: 'a hash' }),
  verify: flag.on({ default: true, describe: 'verify', off: 'do not verify' }),
  dryRun: flag.on({ short: 'n', describe: 'dry run' }),
};

describe('argv in the form for meow', () => {
  test.each([
    [['--no-verify'], ['--verify="false"', '--']],
    [
      ['--file', '-x', '--file=-y'],
      ['--file="-x"', '--file="-y"', '--'],
    ],
    [
      ['-n', 'false'],
      ['--dry-run="true"', '--', 'false'],
    ],
    [['--hash="a"'], ['--hash=""a""', '--']],
    [
      ['a', '--', '--hash', '-n'],
      ['--', 'a', '--hash', '-n'],
    ],
    [
      ['-5', '-'],
      ['--', '-5', '-'],
    ],
  ])('%j', (argv, normal) => {
    expect(normalizeArgv(flags, argv)).toEqual({ argv: normal, wantsHelp: false });
  });

  test('comes back as the texts that were typed', async () => {
    const argv = ['--file', '-x', 'true', '--hash="a"', '--file', 'y', '-n', '--', '--', '"q"'];

    expect(await tokenize(flags, normalizeArgv(flags, argv).argv)).toEqual({
      texts: { file: ['-x', 'y'], hash: ['"a"'], verify: [], dryRun: ['true'] },
      args: ['true', '--', '"q"'],
    });
  });

  test('any text passes through a flag and an argument unchanged', async () => {
    await assert(
      asyncProperty(string({ minLength: 1, unit: 'binary' }), async (text) => {
        const { texts, args } = await tokenize(flags, normalizeArgv(flags, [`--hash=${text}`, '--', text]).argv);
        expect([texts['hash'], args]).toEqual([[text], [text]]);
        // Without a flag, meow has nothing to do.
        const alone = await tokenize(flags, normalizeArgv(flags, ['--', text]).argv);
        expect(alone).toEqual({ texts: { ...texts, hash: [] }, args });
      }),
    );
  });
});

import { describe, expect, it, test } from 'vitest';
import { scanLastCommand } from '../../../src/core/shell/command-line.js';
import { type OptionSpec, parseOptions } from '../../../src/core/shell/options.js';

const SHORT: readonly OptionSpec[] = [
  { name: '-l', describe: '' },
  { name: '-a', describe: '' },
  { name: '-n', value: 'N', isNumber: true, describe: '' },
  { name: '--max-depth', value: 'N', describe: '' },
];
const LONG: readonly OptionSpec[] = [
  { name: '-name', value: 'GLOB', describe: '' },
  { name: '-n', describe: '' },
];

const parsed = (line: string, specs: readonly OptionSpec[]): string => {
  const { options, args, open } = parseOptions(scanLastCommand(`x ${line}`).words.slice(1), 'x', specs);
  const given = options.list.map(({ name, value }) => (value.text === '' ? name : `${name}=${value.text}`));
  return [...given, ...args.map(({ text }) => text), ...(open === undefined ? [] : [`${open.name}?`])].join(' ');
};

describe('options', () => {
  test.each<[line: string, specs: readonly OptionSpec[], meant: string]>([
    ['-la b -a', SHORT, '-l -a -a b'],
    ['-lan 5 b', SHORT, '-l -a -n=5 b'],
    ['-n5', SHORT, '-n=5'],
    ['-20 b', SHORT, '-n=20 b'],
    ['--max-depth=3 --max-depth 4', SHORT, '--max-depth=3 --max-depth=4'],
    ['-l -- -a', SHORT, '-l -a'],
    ['-n -- b', SHORT, '-n=-- b'],
    ['- b', SHORT, '- b'],
    ['-ln', SHORT, '-l -n?'],
    ['b -name "-x" -n', LONG, '-name=-x -n b'],
  ])('%j', (line, specs, meant) => {
    expect(parsed(line, specs)).toBe(meant);
  });

  it.each<[line: string, specs: readonly OptionSpec[]]>([
    ['-lx', SHORT],
    ['-3', LONG],
    ['--max-depth5', SHORT],
    ['-names', LONG],
    ['--l', SHORT],
  ])('%j is refused', (line, specs) => {
    expect(() => parsed(line, specs)).toThrow(/^x has no option -/);
  });
});

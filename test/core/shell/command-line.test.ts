import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseCommandLine, quoteWord, scanLine } from '../../../src/core/shell/command-line.js';

const texts = (line: string): string[] => parseCommandLine(line).words.map(({ text }) => text);
const globs = (line: string): (string | undefined)[] => parseCommandLine(line).words.map(({ glob }) => glob);

test.each<[line: string, words: string[]]>([
  ['', []],
  ['   ', []],
  ['ls', ['ls']],
  ['  ls   data\tx ', ['ls', 'data', 'x']],
  ['cat "a b" c', ['cat', 'a b', 'c']],
  [`cat 'a "b" \\c'`, ['cat', 'a "b" \\c']],
  ['cat a\\ b "q\\"t\\\\ \\n"', ['cat', 'a b', 'q"t\\ \\n']],
  [`cat a"b c"d'e f'`, ['cat', 'ab cde f']],
  [`cat '' ""`, ['cat', '', '']],
  ['cat a#b', ['cat', 'a#b']],
  ['cat データ 👩‍🔬', ['cat', 'データ', '👩‍🔬']],
  ['cat \\', ['cat', '\\']],
  ['ls # what is there', ['ls']],
  ['# nothing', []],
])('%j has the words %j', (line, words) => {
  expect(texts(line)).toEqual(words);
});

test.each<[line: string, globs: (string | undefined)[]]>([
  ['ls *.csv data', [undefined, '*.csv', undefined]],
  ['ls "*.csv" \\*.csv \'[a]\'', [undefined, undefined, undefined, undefined]],
  ['ls "a*"* b\\?[cd]', [undefined, 'a\\**', 'b\\?[cd]']],
  ['ls {a,b}/x(1)*', [undefined, '{a,b}/x\\(1\\)*']],
  ['ls !x* [!a]', [undefined, '\\!x*', '[!a]']],
])('%j has the globs %j', (line, expected) => {
  expect(globs(line)).toEqual(expected);
});

describe('pipes and files', () => {
  it('gives everything behind the first pipe to the other program', () => {
    expect(parseCommandLine('cat "a|b" | sort | head -1 > x')).toMatchObject({
      words: [{ text: 'cat' }, { text: 'a|b' }],
      pipe: 'sort | head -1 > x',
    });
  });

  it.each([
    ['ls > out.txt', 'out.txt', false],
    ['ls >out.txt # here', 'out.txt', false],
    ['ls >> "my file"', 'my file', true],
  ])('%j goes to a file', (line, file, isAppended) => {
    expect(parseCommandLine(line).target).toEqual({ file, isAppended });
  });

  it.each([
    ['cat "open', 'the quote " is not closed'],
    ["cat 'open", "the quote ' is not closed"],
    ['cat x |', 'there is no command after |'],
    ['| less', 'there is no command before |'],
    ['> x', 'there is no command before >'],
    ['ls >', 'there is no file after >'],
    ['ls > a b', '> wants one file'],
    ['ls > a | less', '> wants one file'],
    ['ls > "a', 'the quote " is not closed'],
  ])('%j is refused', (line, message) => {
    expect(() => parseCommandLine(line)).toThrow(message);
  });
});

it('reads back every text that it has quoted', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      fc.pre(words.every((word) => !/[\r\n]/.test(word)));
      const { words: read, openQuote, operator } = scanLine(words.map(quoteWord).join(' '));

      expect(read.map(({ text }) => text)).toEqual(words);
      expect([openQuote, operator, ...read.map(({ glob }) => glob)].every((part) => part === undefined)).toBe(true);
    }),
  );
});

it('says where each word stands', () => {
  const line = '  cat "a b"  c';
  expect(scanLine(line).words.map(({ start, end }) => line.slice(start, end))).toEqual(['cat', '"a b"', 'c']);
});

import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseLine, quoteWord, scanLastCommand, type Word } from '../../../src/core/shell/command-line.js';

const wordsOf = (line: string): readonly Word[] => parseLine(line).flatMap(({ words }) => words);
const texts = (line: string): string[] => wordsOf(line).map(({ text }) => text);
const globs = (line: string): (string | undefined)[] => wordsOf(line).map(({ glob }) => glob);

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
    expect(parseLine('cat "a|b" | sort | head -1 > x; pwd')).toMatchObject([
      { words: [{ text: 'cat' }, { text: 'a|b' }], pipe: 'sort | head -1 > x; pwd' },
    ]);
  });

  it.each([
    ['ls > out.txt', 'out.txt', false],
    ['ls >out.txt # here', 'out.txt', false],
    ['ls >> "my file"', 'my file', true],
  ])('%j goes to a file', (line, file, isAppended) => {
    expect(parseLine(line)).toMatchObject([{ target: { file, isAppended } }]);
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
    ['pwd; cat "a', 'the quote " is not closed'],
    ['; ls', 'there is no command before ;'],
    ['ls;; pwd', 'there is no command before ;'],
    ['ls >; pwd', 'there is no file after >'],
  ])('%j is refused', (line, message) => {
    expect(() => parseLine(line)).toThrow(message);
  });
});

test.each<[line: string, commands: readonly (readonly string[])[]]>([
  ['cd sub; pwd', [['cd', 'sub'], ['pwd']]],
  ['cd sub;pwd ;', [['cd', 'sub'], ['pwd']]],
  [`cat a\\;b 'c;d' "e;f"; pwd # g; h`, [['cat', 'a;b', 'c;d', 'e;f'], ['pwd']]],
  ['ls > out; cat x | sort; head', [['ls'], ['cat', 'x']]],
])('%j has the commands %j', (line, commands) => {
  expect(parseLine(line).map(({ words }) => words.map(({ text }) => text))).toEqual(commands);
});

it('sees the last command of a line while it is typed', () => {
  const line = 'ls; cd "a;b" s';
  const { words } = scanLastCommand(line);
  expect(words.map(({ start, end }) => line.slice(start, end))).toEqual(['cd', '"a;b"', 's']);
});

it('reads back every text that it has quoted', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      fc.pre(words.every((word) => !/[\r\n]/.test(word)));
      const { words: read, openQuote, operator } = scanLastCommand(words.map(quoteWord).join(' '));

      expect(read.map(({ text }) => text)).toEqual(words);
      expect([openQuote, operator, ...read.map(({ glob }) => glob)].every((part) => part === undefined)).toBe(true);
    }),
  );
});

it('says where each word stands', () => {
  const line = '  cat "a b"  c';
  expect(scanLastCommand(line).words.map(({ start, end }) => line.slice(start, end))).toEqual(['cat', '"a b"', 'c']);
});

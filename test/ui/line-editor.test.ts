import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Key } from '../../src/ui/keys.js';
import { editLine, insertText, type Line } from '../../src/ui/line-editor.js';

const named = (id: string): Key => ({ id, text: '' });

/** `ab|c` has the cursor between b and c. */
const read = (marked: string): Line => ({ text: marked.replace('|', ''), cursor: marked.indexOf('|') });
const show = ({ text, cursor }: Line): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const press = (marked: string, ...names: readonly string[]): string =>
  show(names.reduce((line, name) => editLine(line, named(name)), read(marked)));

it.each<[before: string, key: string, after: string]>([
  ['ab|c', 'left', 'a|bc'],
  ['|abc', 'left', '|abc'],
  ['ab|c', 'right', 'abc|'],
  ['abc|', 'right', 'abc|'],
  ['ab|c', 'home', '|abc'],
  ['ab|c', 'ctrl+a', '|abc'],
  ['ab|c', 'end', 'abc|'],
  ['ab|c', 'ctrl+e', 'abc|'],
  ['ab|c', 'backspace', 'a|c'],
  ['|abc', 'backspace', '|abc'],
  ['ab|c', 'delete', 'ab|'],
  ['abc|', 'delete', 'abc|'],
  ['ab|c', 'ctrl+u', '|c'],
  ['ab|c', 'ctrl+k', 'ab|'],
  ['cat data/a b.txt  |x', 'ctrl+w', 'cat data/a |x'],
  ['cat data/a.txt|', 'alt+backspace', 'cat data/a.|'],
  ['cat data/a.txt|', 'alt+b', 'cat data/a.|txt'],
  ['cat data/|', 'alt+b', 'cat |data/'],
  ['|cat data/a', 'alt+f', 'cat| data/a'],
  ['cat| data/a', 'alt+f', 'cat data|/a'],
  ['cat| data/a', 'alt+d', 'cat|/a'],
  ['x👩‍🔬|', 'left', 'x|👩‍🔬'],
  ['x👩‍🔬|', 'backspace', 'x|'],
  ['|e\u0301x', 'delete', '|x'],
  ['データ|', 'backspace', 'デー|'],
  ['ab|c', 'up', 'ab|c'],
  ['ab|c', 'ctrl+c', 'ab|c'],
])('%j after %s is %j', (before, key, after) => {
  expect(press(before, key)).toBe(after);
});

it('leaves the very line for a key that does not edit', () => {
  const line = read('ab|c');
  expect(editLine(line, named('pageup'))).toBe(line);
});

it('puts what is typed and pasted in at the cursor, as one line without control characters', () => {
  expect(show(editLine(read('a|c'), { id: 'b', text: 'b' }))).toBe('ab|c');
  expect(show(insertText(read('a|c'), 'x\n\ny\tz\u001b[31m'))).toBe('ax y z[31m|c');
});

const keys: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...['a', ' ', '/', 'デ', '👩‍🔬', 'é'].map((text): Key => ({ id: text, text }))),
  fc.constantFrom(
    ...['left', 'right', 'home', 'end', 'backspace', 'delete', 'ctrl+w', 'alt+b', 'alt+f', 'alt+d', 'ctrl+k'].map(
      named,
    ),
  ),
);

it('never leaves the cursor outside of the line or within a character', () => {
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 60 }), (pressed) => {
      const { text, cursor } = pressed.reduce(editLine, { text: '', cursor: 0 });
      const bounds = Array.from(new Intl.Segmenter().segment(text), ({ index }) => index);

      expect([...bounds, text.length]).toContain(cursor);
    }),
  );
});

it('stays quick in a line of a million characters', () => {
  const long: Line = { text: `${'a'.repeat(1_000_000)} b `, cursor: 1_000_002 };
  expect(editLine(editLine(long, named('ctrl+w')), named('alt+b')).cursor).toBe(0);
});

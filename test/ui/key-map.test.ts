import { expect, test } from 'vitest';
import { glyphsFor } from '../../src/ui/glyphs.js';
import { helpOverlay } from '../../src/ui/help-lines.js';
import { actionOf, keyLine, type Binding } from '../../src/ui/key-map.js';
import { lineWidth } from '../../src/ui/toned-line.js';

type Action = 'mark' | 'all' | 'move' | 'help' | 'quit';
const BINDINGS: readonly Binding<Action>[] = [
  { action: 'move', keys: ['down', 'j'], help: 'one row', group: 'MOVE' },
  { action: 'mark', keys: ['space'], word: 'mark', help: 'mark it', group: 'MARK' },
  { action: 'all', keys: ['a'], word: 'all', longWord: 'all visible', help: 'mark all', group: 'MARK' },
  { action: 'help', keys: ['?'], word: 'help', help: 'these keys', group: 'VIEW', isPinned: true },
  { action: 'quit', keys: ['q', 'ctrl+c'], shown: 'q', word: 'quit', group: 'VIEW', isPinned: true },
];
const textOf = (columns: number): string =>
  keyLine(BINDINGS, { columns })
    .map(({ text }) => text)
    .join('');

test('finds what a key does, also the space bar and named keys', () => {
  expect(actionOf(BINDINGS, { name: 'text', text: ' ' })).toBe('mark');
  expect(actionOf(BINDINGS, { name: 'text', text: 'j' })).toBe('move');
  expect(actionOf(BINDINGS, { name: 'ctrl+c' })).toBe('quit');
  expect(actionOf(BINDINGS, { name: 'paste', text: 'a' })).toBeUndefined();
  expect(actionOf(BINDINGS, { name: 'text', text: 'x' })).toBeUndefined();
});

test('cuts the key line from the right and keeps help and quit', () => {
  expect(textOf(120)).toBe(' space mark  a all visible  ? help  q quit');
  expect(textOf(60)).toBe(' space mark  a all  ? help  q quit');
  expect(textOf(29)).toBe(' space mark  a all  ? help  q');
  expect(textOf(28)).toBe(' space mark  ? help  q quit');
  expect(textOf(16)).toBe(' ? help  q quit');
  expect(textOf(3)).toBe('');
});

test('puts words that depend on the screen in place of the long ones', () => {
  const words = new Map<Action, string>([['mark', 'mark 3 files']]);

  const line = keyLine(BINDINGS, { columns: 120, words });

  expect(line.map(({ text }) => text).join('')).toContain('space mark 3 files');
});

test('lists every key with a help text in groups, within its width and height', () => {
  const overlay = { title: 'Keys', glyphs: glyphsFor({ unicode: false }) };

  const wide = helpOverlay(BINDINGS, { ...overlay, columns: 80, height: 20 });
  const narrow = helpOverlay(BINDINGS, { ...overlay, columns: 40, height: 6 });

  expect(wide.map((line) => line.map(({ text }) => text).join(''))).toEqual([
    `+ Keys ${'-'.repeat(72)}+`,
    `| MOVE              MARK              VIEW${' '.repeat(37)}|`,
    `| down j  one row   space  mark it    ?  these keys${' '.repeat(28)}|`,
    expect.stringContaining('a      mark all'),
    `+${'-'.repeat(78)}+`,
  ]);
  expect(narrow.length).toBeLessThanOrEqual(6);
  for (const line of [...wide, ...narrow]) expect([80, 40]).toContain(lineWidth(line));
});

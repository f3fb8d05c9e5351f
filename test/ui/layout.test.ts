import { expect, test } from 'vitest';
import { GAP, layOutColumns, type Column } from '../../src/ui/columns.js';
import { fitByPriority } from '../../src/ui/fit-by-priority.js';
import { scrollTo } from '../../src/ui/window.js';

const column = (title: string, options: Omit<Column, 'cell' | 'title'>): Column => ({
  title,
  cell: () => '',
  ...options,
});
const COLUMNS = [
  column('mark', { width: 3, priority: 0 }),
  column('name', { weight: 1, min: 20, priority: 0 }),
  column('size', { width: 8, priority: 1 }),
  column('bar', { weight: 1, min: 6, max: 20, priority: 3 }),
  column('stage', { width: 9, priority: 4 }),
];

test('columns drop by priority, least important first', () => {
  const titles = (room: number) => layOutColumns(COLUMNS, room).map(({ column: { title } }) => title);

  expect(titles(80)).toEqual(['mark', 'name', 'size', 'bar', 'stage']);
  expect(titles(50)).toEqual(['mark', 'name', 'size', 'bar']);
  expect(titles(40)).toEqual(['mark', 'name', 'size']);
  expect(titles(10)).toEqual(['mark', 'name']);
});

test('columns never use more than the room, and a weighted one grows to its max', () => {
  for (let room = 25; room < 220; room++) {
    const laidOut = layOutColumns(COLUMNS, room);
    expect(laidOut.reduce((sum, { width }) => sum + width + GAP, -GAP)).toBeLessThanOrEqual(room);
  }
  expect(layOutColumns(COLUMNS, 200).find(({ column: { title } }) => title === 'bar')?.width).toBe(20);
});

test('what is pinned stays, the rest is cut from the right', () => {
  const items = ['a', 'b', 'c', 'help'].map((name) => ({ name, priority: name === 'help' ? 0 : 1 }));

  expect(fitByPriority(items, 2, () => 1).map((item) => item.name)).toEqual(['a', 'help']);
  expect(fitByPriority(items, 0, () => 1).map((item) => item.name)).toEqual(['help']);
});

test('the list stays still until the cursor comes near an edge', () => {
  expect(scrollTo(0, 5, 100, 10)).toBe(0);
  expect(scrollTo(0, 8, 100, 10)).toBe(1);
  expect(scrollTo(50, 51, 100, 10)).toBe(49);
  expect(scrollTo(90, 99, 100, 10)).toBe(90);
  expect(scrollTo(5, 0, 3, 10)).toBe(0);
});

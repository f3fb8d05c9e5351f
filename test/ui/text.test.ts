import { expect, test, vi } from 'vitest';
import { charactersOf, clean, cut, cutAroundMatch, fit, pad, widthOf } from '../../src/ui/text.js';

const NASTY = [
  'plain.txt',
  '観測データの可視化.ipynb',
  'e\u0301te\u0301.txt',
  '👨‍👩‍👧 family.jpg',
  'evil\x1b[2J\nname',
  '\u200bzero',
  'gpj\u202eexe',
  '🇩🇪🇩🇪',
  'ｶﾞｷﾞ',
  '',
];

test.each(NASTY)('%j takes exactly the columns it is given', (text) => {
  for (let width = 0; width <= 30; width++)
    for (const where of ['end', 'middle'] as const) expect(widthOf(fit(text, width, 'left', where))).toBe(width);
});

test('control characters become ?, invisible ones go', () => {
  expect(clean('evil\x1b[2J\nname')).toBe('evil?[2J?name');
  expect(clean('\u200bzero')).toBe('zero');
});

test('a path is cut in the middle and keeps its file name', () => {
  expect(cut('data/features/very/deep/metrics-final.json', 24, 'middle')).toBe('data/fea…rics-final.json');
});

test('a cut path keeps what was searched for visible', () => {
  const [before, match, after] = cutAroundMatch(`${'a/'.repeat(20)}needle/${'b/'.repeat(30)}c.txt`, 'NEEDLE', 20);

  expect(match).toBe('needle');
  expect(widthOf(before + match + after)).toBeLessThanOrEqual(20);
});

test.each([
  ['', 0],
  ['plain', 5],
  ['データ', 6],
  ['e\u0301', 1],
  ['👨‍👩‍👧', 2],
])('%j is %d columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('pads by columns, not by characters, and cuts nothing', () => {
  expect(pad('デー', 6)).toBe('デー  ');
  expect(pad('デー', 6, 'right')).toBe('  デー');
  expect(pad('too long', 3)).toBe('too long');
});

test.each(['👨‍👩‍👧', 'e\u0301', 'a👍🏽', '🇩🇪', '각', '\r\n', 'é'])(
  'a text of many %j is that many characters',
  (character) => {
    for (const first of ['', 'x', 'xy', 'xyz']) {
      const text = first + character.repeat(200);
      const characters = Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
      expect(charactersOf(text)).toEqual(characters);
      expect(widthOf(text)).toBe(characters.reduce((sum, part) => sum + widthOf(part), 0));
      expect(widthOf(`\x1b[31m${text}\x1b[39m`)).toBe(widthOf(text));
    }
  },
);

// Each takes the square of its length: a path of a megabyte in somebody's heartbeat held `fleet status` for good.
test('no text is taken apart in pieces that are long', () => {
  const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  try {
    expect(cut('😀'.repeat(5000), 11, 'middle')).toBe('😀😀…😀😀😀');
    expect(Math.max(...segment.mock.calls.map(([text]) => text.length))).toBeLessThanOrEqual(256);
  } finally {
    segment.mockRestore();
  }
});

import { LineCounter } from 'yaml';
import { expect, test } from 'vitest';
import { readDocument } from '../../../../src/core/platform/text/yaml-document.js';

test.each([
  ['lists', '['.repeat(500_000)],
  ['maps', '{a: '.repeat(250_000)],
  ['items', '- '.repeat(500_000)],
  ['keys', '? '.repeat(2000)],
  ['sections', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
])('%s that nest without end are refused, also the third time', (_, text) => {
  const lines = new LineCounter();
  for (const turn of [1, 2, 3]) expect([turn, readDocument(text).damage?.reason]).toEqual([turn, 'nests too deep']);
  const { damage } = readDocument(text, { lineCounter: lines });
  expect(lines.linePos(damage?.offset ?? 0).line).toBe(text.includes('\n') ? 200 : 1);
});

test('what people nest is read', () => {
  const text = `a: ${'['.repeat(150)}x${']'.repeat(150)}\n`;

  expect(readDocument(text).document?.toString({ lineWidth: 0 }).replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutEnd, cutMiddle, padEnd, padStart, textWidth } from '../../src/ui/text-width.js';

const ACCENTED = 'e\u0301';
const FAMILY = '👨‍👩‍👧';

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['データ', 6],
    [ACCENTED, 1],
    [FAMILY, 2],
    ['█░…', 3],
  ])('measures %j as %d cells', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('cutMiddle', () => {
  it.each([
    ['short', 10, 'short'],
    ['data/features/part-0412.parquet', 20, 'data/feat…12.parquet'],
    ['データ/ファイル', 9, 'デー…イル'],
    [`${ACCENTED}${ACCENTED}${ACCENTED}${ACCENTED}`, 3, `${ACCENTED}…${ACCENTED}`],
    [`${FAMILY}${FAMILY}${FAMILY}`, 5, `${FAMILY}…${FAMILY}`],
    ['abcdef', 2, 'a…'],
    ['abcdef', 1, '…'],
    ['abcdef', 0, ''],
  ])('cuts %j to %d cells: %j', (text, width, cut) => {
    expect(cutMiddle(text, width)).toBe(cut);
  });

  it('takes an ASCII ellipsis', () => {
    expect(cutMiddle('abcdefghij', 7, '...')).toBe('ab...ij');
    expect(cutMiddle('abcdefghij', 2, '...')).toBe('ab');
  });
});

const anyText = fc.string({ unit: fc.constantFrom('a', '/', 'デ', ACCENTED, FAMILY, ' ', '\u{1f600}'), maxLength: 60 });

it('never makes anything wider than it was told', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 70 }), fc.constantFrom('…', '...'), (text, width, ellipsis) => {
      expect(textWidth(cutMiddle(text, width, ellipsis))).toBeLessThanOrEqual(width);
      expect(textWidth(cutEnd(text, width, ellipsis))).toBeLessThanOrEqual(width);
    }),
  );
});

it('pads by cells, not by characters', () => {
  expect(padEnd('デー', 6)).toBe('デー  ');
  expect(padStart('デー', 6)).toBe('  デー');
  expect(padStart('too long', 3)).toBe('too long');
});

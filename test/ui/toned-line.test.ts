import { expect, it } from 'vitest';
import { bar, level } from '../../src/ui/text-bar.js';
import { glyphsFor } from '../../src/ui/glyphs.js';
import { clipLine, type Line, lineWidth, paintLine } from '../../src/ui/toned-line.js';

const line: Line = [{ text: 'データ', tone: 'accent' }, { text: ' and more' }];
const plain = { unicode: true, color: false };

it('cuts a line in the piece where the room ends', () => {
  expect(lineWidth(line)).toBe(15);
  expect(paintLine(clipLine(line, 15, '…'), plain)).toBe('データ and more');
  expect(paintLine(clipLine(line, 10, '…'), plain)).toBe('データ an…');
  expect(paintLine(clipLine(line, 4, '…'), plain)).toBe('デ…');
});

it('writes 16-colour foreground codes only, and none without colour', () => {
  const painted = paintLine(line, { unicode: true, color: true });

  expect(painted).toBe('\u001b[36mデータ\u001b[39m and more');
  expect(paintLine(line, plain)).not.toContain('\u001b');
});

it('fills a bar only when all is done', () => {
  const glyphs = glyphsFor({ unicode: true });

  expect(bar(0, 4, glyphs)).toBe('░░░░');
  expect(bar(0.999, 4, glyphs)).toBe('███░');
  expect(bar(1, 4, glyphs)).toBe('████');
  expect(bar(Number.NaN, 4, glyphs)).toBe('░░░░');
  expect(bar(7, 4, glyphs)).toBe('████');
  expect(bar(0.5, -1, glyphs)).toBe('');
  expect(bar(0.5, 4, glyphsFor({ unicode: false }))).toBe('##..');
});

it('gives each eighth its own level', () => {
  const levels = [0, 0.5, 0.625, 0.99, 1, Number.NaN].map((fraction) => level(fraction, glyphsFor({ unicode: true })));

  expect(levels.join('')).toBe('▁▄▅▇█▁');
});

import { expect, it } from 'vitest';
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

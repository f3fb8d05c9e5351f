import { expect, test } from 'vitest';
import { signText } from '../../src/ui/sign.js';

test('a sign takes the glyphs and colours that its stream can show', () => {
  expect(signText('good', { unicode: true, color: true })).toBe('\u001b[32m✓\u001b[39m');
  expect(signText('warn', { unicode: true, color: false })).toBe('▲');
  expect(signText('bad', { unicode: false, color: true })).toBe('\u001b[31mx\u001b[39m');
  expect(signText('good', { unicode: false, color: false })).toBe('ok:');
});

import { expect, test } from 'vitest';
import { usesColor } from '../../src/cli/colors.js';

test.each([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
] as const)('%s with %j on a terminal (%s) is %s', (choice, env, isTerminal, expected) => {
  expect(usesColor(choice, env, isTerminal)).toBe(expected);
});

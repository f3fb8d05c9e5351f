import { expect, test } from 'vitest';
import { leadsOut } from '../../../../src/core/platform/paths/leads-out.js';
import { raw } from '../../../support/raw.js';

test.each([
  ['l', 'x', false],
  ['l', './x/../y', false],
  ['l', '..', true],
  ['l', 'x/../../y', true],
  ['a/b/l', '../../x', false],
  ['a/b/l', '../../../x', true],
  ['a/l', '../../a/x', true],
  ['l', '/x', true],
])('a link at %s to %s: %s', (path, target, expected) => {
  expect(leadsOut(raw(path), raw(target))).toBe(expected);
});

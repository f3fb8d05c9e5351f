import { expect, it } from 'vitest';
import { lookOf } from '../../src/ui/look.js';

it.each([
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LC_ALL: 'C.utf8' }, true],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
  [{ LC_ALL: '', LANG: 'de_DE.UTF-8' }, true],
  [{ LC_CTYPE: 'POSIX', LANG: 'de_DE.UTF-8' }, false],
  [{ LANG: 'de_DE.ISO-8859-1' }, false],
  [{}, false],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, false],
  [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, false],
])('with %j shows Unicode: %s', (env, unicode) => {
  expect(lookOf(true, env)).toEqual({ unicode, color: true });
  expect(lookOf(false, env)).toEqual({ unicode, color: false });
});

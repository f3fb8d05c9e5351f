import { describe, expect, test } from 'vitest';
import { hookCommand, NO_HOOKS } from '../../../src/core/notify/hook-settings.js';

const commandOf = (before: readonly string[], shell = false) => hookCommand('before', { ...NO_HOOKS, before, shell });

describe('a hook', () => {
  test.each([
    [[], undefined],
    [['/bin/note'], ['/bin/note']],
    [['/bin/note -x "two words" \'$HOME\' "a \\"b\\""'], ['/bin/note', '-x', 'two words', '$HOME', 'a "b"']],
    [['"/opt/my tool/note" ""'], ['/opt/my tool/note', '']],
    [
      ['/bin/note', 'as it is; rm -rf /', ''],
      ['/bin/note', 'as it is; rm -rf /', ''],
    ],
  ])('%j is run as %j, never by a shell', (given, expected) => {
    expect(commandOf(given)).toEqual(expected);
  });

  test('is for the shell only where that is asked for', () => {
    expect(commandOf(['date > /tmp/x; true'], true)).toEqual(['/bin/sh', '-c', 'date > /tmp/x; true']);
  });

  test.each([[['/bin/note "open']], [['""']], [['   ']], [['', 'x']], [["/bin/note it's"]]])(
    'that is no command is refused: %j',
    (given) => expect(() => commandOf(given)).toThrow(/hooks\.before/),
  );

  test('of several words is nothing for a shell', () => {
    expect(() => commandOf(['/bin/echo', 'x'], true)).toThrow(/hooks\.before is a list/);
  });
});

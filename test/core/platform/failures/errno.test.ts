import { expect, test } from 'vitest';
import { systemText } from '../../../../src/core/platform/failures/errno.js';
import { fileFailure } from '../../../../src/core/platform/failures/file-failure.js';
import { fileError } from '../../../../src/core/store/file/file-errors.js';
import { failureReason, fatalError } from '../../../../src/core/restore/output-tree/refusal.js';

const failed = (code: string): Error => Object.assign(new Error(`${code}: of the system`), { code, errno: -1 });

test('one code has the same words wherever nothing more is known', () => {
  const words = 'the device reports an input/output error';

  expect(systemText(failed('EIO'))).toBe(words);
  expect(failureReason(failed('EIO'))).toBe(words);
  expect(fileError(failed('EIO'), 'read', 'x').message).toBe(`cannot read x: ${words}`);
});

test('what is known of the situation goes before the table', () => {
  expect(failureReason(failed('EEXIST'))).toBe('something else is in its place');
  expect(fileError(failed('ENOSPC'), 'write', 'x')).toMatchObject({
    code: 'no-space',
    message: 'cannot write x: no space is left on the device',
    hint: 'free some space there, or choose another folder',
  });
});

test('only a full disk and the like end a restore', () => {
  expect(fatalError(failed('EACCES'))).toBeUndefined();
  expect(fatalError(failed('EDQUOT'))).toMatchObject({
    code: 'no-space',
    message: 'the output folder cannot be written to: the disk quota is used up',
  });
  expect(fatalError(failed('EROFS'))).toMatchObject({ code: 'io' });
});

test('a code that is not in the table, and an error without one, keep their own text', () => {
  expect(systemText(failed('EOTHER'))).toBeUndefined();
  expect(failureReason(failed('EOTHER'))).toBe('EOTHER: of the system');
  expect(fileFailure('write', '/x', failed('EDQUOT'))).toMatchObject({
    code: 'no-space',
    message: 'cannot write /x (EDQUOT)',
  });
  expect(fileFailure('read', '/x', new Error('odd'))).toMatchObject({ code: 'io', message: 'cannot read /x (odd)' });
});

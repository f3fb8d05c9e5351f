import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureOf } from '../../src/cli/errors.js';
import { SystemError } from '../../src/core/platform/libc/libc.js';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test('a refusal of the system is no defect of ours, and says what to do', () => {
  expect(failureOf(new SystemError(24, 'open'))).toMatchObject({
    code: 'io',
    message: 'the system refused: EMFILE: open failed',
    hint: 'raise the limit of open files (ulimit -n)',
    exitCode: 1,
  });
  const missing = failureOf(thrownBy(() => readFileSync('/missing/file')));
  expect(missing).toMatchObject({ code: 'io', message: expect.stringMatching(/^the system refused: ENOENT.*missing/) });
});

test('an error of Node or of ours without a system call is one', () => {
  const misuse = thrownBy(() => readFileSync(undefined as unknown as string));
  for (const error of [new Error('oops'), misuse])
    expect(failureOf(error)).toMatchObject({ code: 'internal', message: expect.stringMatching(/^internal error: /) });
});

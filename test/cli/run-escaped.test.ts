import { expect, test } from 'vitest';
import { uncaughtFailure } from '../../src/cli/early-flags.js';

test('an error that escaped is told like any other, in the form that was asked for', () => {
  expect(uncaughtFailure(new Error('boom'), ['upload']).stderr).toMatch(/^✗ internal error: boom\n {2}fix {3}/);
  expect(uncaughtFailure(new Error('boom'), ['upload', '--', '--json']).stdout).toBe('');
  expect(JSON.parse(uncaughtFailure(new Error('boom'), ['upload', '--json']).stdout)).toMatchObject({
    error: { code: 'internal', message: 'internal error: boom' },
  });
});

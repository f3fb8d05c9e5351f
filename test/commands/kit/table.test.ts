import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { column, tableText } from '../../../src/commands/kit/table.js';

const shown = (...times: readonly (string | undefined)[]): Promise<string> =>
  tableText(times, [{ ...column<string | undefined>('WHEN', (time) => time), isMoment: true }], {
    stdout: new PassThrough(),
    json: false,
  });

test('an offset that all times share is told once', async () => {
  expect(await shown('2026-03-04 05:06+01:00', undefined, '2026-03-04 05:07+01:00')).toBe(
    'WHEN (+01:00)\n2026-03-04 05:06\n-\n2026-03-04 05:07\n',
  );
  expect(await shown('2026-03-04 05:06+00:00')).toBe('WHEN (UTC)\n2026-03-04 05:06\n');
});

test('offsets that differ stay with their times', async () => {
  const times = ['2026-03-04 05:06+01:00', '2026-06-04 05:06+02:00'];
  expect(await shown(...times)).toBe(`WHEN\n${times.join('\n')}\n`);
  expect(await shown(undefined)).toBe('WHEN\n-\n');
});

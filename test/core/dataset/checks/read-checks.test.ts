import { expect, test } from 'vitest';
import { tellingChecks } from '../../../../src/core/dataset/checks/read-checks.js';
import type { CheckPlace } from '../../../../src/core/dataset/records/check-key.js';

const place = (day: number, kind: CheckPlace['kind'], ok: boolean, id = '00000000'): CheckPlace => ({
  datasetId: 'd',
  id: `202601${String(day).padStart(2, '0')}-000000-${id}`,
  kind,
  ok,
});

test('what came next after a failure is read however many checks there were since, as it may have found right what was wrong', () => {
  const failed = place(1, 'drill', false, '00000001');
  const mended = place(1, 'drill', true, '00000000');
  const later = Array.from({ length: 26 }, (_, at) => place(at + 3, 'drill', true));
  const verified = Array.from({ length: 26 }, (_, at) => place(at + 3, 'listing', true));

  const read = tellingChecks([failed, mended, ...later, ...verified]);

  expect(read).toEqual(read.toSorted((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)));
  expect(read).toContain(mended);
  expect(read.filter(({ kind }) => kind === 'drill')).toHaveLength(28); // the newest 20, the failure, and 20 after it: some are both
  expect(tellingChecks([mended, ...later])).toEqual(later.toReversed().slice(0, 20));
});

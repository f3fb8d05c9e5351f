import { describe, expect, test } from 'vitest';
import type { Check } from '../../../../src/core/dataset/checks/check-document.js';
import { placesText } from '../../../../src/core/dataset/checks/content-place.js';
import { judgeChecks } from '../../../../src/core/dataset/checks/judge-checks.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const ID = asUploadId('20251114-093012-1a2b3c4d');
const check = (more: Partial<Check>, errorCount = 0): Check => ({
  datasetId: 'd',
  kind: 'deep',
  ok: errorCount === 0,
  startedAt: '2026-01-01T00:00:00Z',
  endedAt: '2026-01-01T00:00:00Z',
  host: 'nas',
  tool: 'archiver',
  checked: 'content',
  versions: [{ version: 1, uploadId: ID, errorCount }],
  chunks: 2,
  chunksRead: 2,
  chunksCold: 0,
  ...more,
});
const drill = (proven: number[], disproven: number[] = []): Check =>
  check(
    { kind: 'drill', checked: 'sample', proven: placesText(proven), disproven: placesText(disproven) },
    disproven.length,
  );
/** Whether a failure stays after these checks, newest first. */
const stays = (...newestFirst: readonly Check[]): boolean => judgeChecks(newestFirst)(ID).failure !== undefined;

describe('damage that was read', () => {
  const damaged = check({}, 1);

  test.each<[string, Check, boolean]>([
    ['a listing', check({ kind: 'listing', checked: 'presence' }), true],
    ['a sample', check({ checked: 'sample' }), true],
    ['one part of the chunks', check({ checked: 'content', part: { number: 1, of: 2 } }), true],
    ['all but what is cold', check({ chunksCold: 1 }), true],
    ['a drill', drill([1, 2]), true],
    ['all of its content', check({}), false],
  ])('is outranked by %s: %#', (_name, later, expected) => {
    expect(stays(later, damaged)).toBe(expected);
  });

  test('is not outranked by what was right before', () => {
    expect(stays(damaged, check({}))).toBe(true);
  });

  test('of another version says nothing', () => {
    expect(
      stays({
        ...damaged,
        versions: [{ version: 2, uploadId: asUploadId('20261114-093012-1a2b3c4d'), errorCount: 1 }],
      }),
    ).toBe(false);
  });
});

test('that a deep check got no content at all is not over because it is listed', () => {
  const unread = check({ checked: 'presence', chunksRead: 0 }, 1);
  const listing = check({ kind: 'listing', checked: 'presence' });

  expect([stays(listing, unread), stays(check({}), unread)]).toEqual([true, false]);
});

test('what a listing found wrong is over with the next, also where there was no content that it could have read', () => {
  const listing = (checked: Check['checked'], errorCount: number): Check =>
    check({ kind: 'listing', checked }, errorCount);

  expect([
    stays(listing('presence', 0), listing('content', 1)),
    stays(listing('manifest', 0), listing('content', 1)),
  ]).toEqual([false, true]);
});

test('what a drill found wrong is over when later drills have found all of it right', () => {
  const failed = drill([3], [1, 2]);

  expect([stays(drill([1]), failed), stays(drill([2]), drill([1]), failed), stays(failed, drill([1, 2]))]).toEqual([
    true,
    false,
    true,
  ]);
});

test('each check is looked through once, however many versions it is about', () => {
  const ids = Array.from({ length: 5000 }, (_, index) =>
    asUploadId(`20251114-093012-${String(index).padStart(8, '0')}`),
  );
  const all = check({ versions: ids.map((uploadId, index) => ({ version: index + 1, uploadId, errorCount: 0 })) });
  const begun = performance.now();

  const of = judgeChecks(Array<Check>(40).fill(all));

  expect(ids.every((id) => of(id).sound.deep !== undefined)).toBe(true);
  expect(performance.now() - begun).toBeLessThan(4000); // 18,000 where each version searches each check
});

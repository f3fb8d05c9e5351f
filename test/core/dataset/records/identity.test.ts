import { describe, expect, test } from 'vitest';
import { autoWriterId, checkWriterId, deriveDatasetId } from '../../../../src/core/dataset/records/identity.js';
import { newUploadId } from '../../../../src/core/store/ids/upload-id.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { raw } from '../../../support/raw.js';

describe('upload ids', () => {
  test.each([
    ['2026-01-02T03:04:05.678Z', '20260102-030405-01020304'],
    ['1999-12-31T23:59:59.999Z', '19991231-235959-01020304'],
  ])('say when in UTC and end in the random bytes: %s', (time, id) => {
    expect(newUploadId(new Date(time), Buffer.from('0102030405', 'hex'))).toBe(id);
  });
});

describe('writer ids', () => {
  test.each(['a', 'host-1', 'A.b_c-9', 'x'.repeat(64)])('%s is taken as it is', (id) => {
    expect(checkWriterId(id)).toBe(id);
  });

  test.each(['', '..', '.x', '-x', 'a/b', 'a b', 'a*', 'ä', 'x'.repeat(65), 'a\n', '../../etc'])(
    '%j is refused',
    (id) => {
      expect(() => checkWriterId(id)).toThrow(expect.objectContaining({ code: 'usage' }) as Error);
    },
  );

  test('auto is the same for a machine, differs between machines, and is an id itself', () => {
    const id = autoWriterId('Lab PC (2).local', 'machine-a');

    expect(id).toMatch(/^lab-pc-2-.local-[0-9a-f]{8}$/);
    expect(autoWriterId('Lab PC (2).local', 'machine-a')).toBe(id);
    expect(autoWriterId('Lab PC (2).local', 'machine-b')).not.toBe(id);
    expect(checkWriterId(autoWriterId('\u30db\u30b9\u30c8', 'm'))).toMatch(/^data-/);
    expect(checkWriterId(autoWriterId('h'.repeat(300), 'm')).length).toBeLessThanOrEqual(64);
  });
});

describe('dataset ids', () => {
  test('depend on the path and on who writes, and on nothing else', () => {
    const id = deriveDatasetId(raw('/data/Run 0412'), 'host');

    expect(id).toMatch(/^run-0412-[0-9a-f]{8}$/);
    expect(deriveDatasetId(raw('/data/Run 0412'), 'host')).toBe(id);
    expect(deriveDatasetId(raw('/data/Run 0412'), 'other')).not.toBe(id);
    expect(deriveDatasetId(raw('/other/Run 0412'), 'host')).not.toBe(id);
  });

  test.each([
    ['/', /^data-/],
    ['/\xff\xfe', /^data-/],
    [rawFromText('/caf\u00e9'), /^cafe-[0-9a-f]{8}$/],
    ['/..hidden..', /^hidden-/],
    [`/${'n'.repeat(255)}`, /^n{48}-/],
  ])('of %j are made of letters that keys may have', (path, pattern) => {
    expect(deriveDatasetId(raw(path), 'h')).toMatch(pattern);
    expect(deriveDatasetId(raw(path), 'h')).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
  });

  test('do not mix up owner and path', () => {
    expect(deriveDatasetId(raw('/b'), 'a')).not.toBe(deriveDatasetId(raw('b'), 'a/'));
  });
});

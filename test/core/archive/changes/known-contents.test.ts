import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { KnownContents } from '../../../../src/core/archive/changes/known-contents.js';
import type { Entry } from '../../../../src/core/manifest/manifest-types.js';
import { raw } from '../../../support/raw.js';

const time = { seconds: 0, nanos: 0 };
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const file = (name: string, size: number, more: Partial<Entry> = {}): Entry => ({
  path: raw(name),
  type: 'file',
  size,
  mtime: time,
  ctime: time,
  mode: 0o644,
  uid: 0,
  gid: 0,
  inode: raw('1'),
  sha256: digest(name).toString('hex'),
  ...more,
});

test('thousands of contents are found by size and digest, the first of equal ones', () => {
  const known = new KnownContents();
  for (let at = 0; at < 5000; at++) known.add(file(`f${at}`, at + 1, { chunk: at % 7, offset: at * 512 }));
  known.add(file('f3', 4, { chunk: 99, offset: 0 }));
  known.finish();

  for (const at of [0, 3, 1023, 1024, 4999])
    expect(known.find(at + 1, digest(`f${at}`))).toEqual({ chunk: at % 7, offset: at * 512 });
  expect([known.find(5, digest('f3')), known.find(4, digest('x'))]).toEqual([undefined, undefined]);
  expect([0, 1, 5000, 5001].map((size) => known.hasSize(size))).toEqual([false, true, true, false]);
});

test('pieces and holes are kept; what has no digest, or nothing in it, is no content', () => {
  const segments = [{ chunk: 3, offset: 512, size: 10 }];
  const holes = [[0, 5]] as const;
  const known = new KnownContents();
  known.add(file('empty', 0, { chunk: 8, offset: 0 }));
  const { sha256: _, ...undigested } = file('unknown', 10, { chunk: 8, offset: 0 });
  known.add(undigested);
  known.add(file('cut', 10, { segments, holes }));
  known.add(file('sparse', 12, { chunk: 1, offset: 1024, holes }));
  known.finish();

  expect(known.find(10, digest('cut'))).toEqual({ segments, holes });
  expect(known.find(12, digest('sparse'))).toEqual({ chunk: 1, offset: 1024, holes });
  expect(known.find(0, digest('empty'))).toBeUndefined();
  expect(known.anyPlace).toEqual({ chunk: 3, offset: 512 });
});

test('nothing is known of an empty version', () => {
  const known = new KnownContents();
  known.finish();
  expect([known.hasSize(1), known.find(1, digest('x'))]).toEqual([false, undefined]);
});

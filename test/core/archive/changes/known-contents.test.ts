import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { KnownContents, type MadeDigests, type Proof } from '../../../../src/core/archive/changes/known-contents.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { raw } from '../../../support/raw.js';

const time = { seconds: 0, nanos: 0 };
const hashed = (algorithm: string, text: string): Buffer => createHash(algorithm).update(text).digest();
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
  md5: hashed('md5', name).toString('hex'),
  ...more,
});
const bySha256 = (name: string): Partial<Entry> => ({ sha256: hashed('sha256', name).toString('hex') });
/** Ten chunks to a seed. */
const known = (rows = 0): KnownContents => new KnownContents(rows, (chunk) => BigInt(Math.floor(chunk / 10)));
const made = (name: string, proof: Proof = 'sha256', digest = hashed('sha256', name)): MadeDigests => ({
  md5: hashed('md5', name),
  proof,
  digest,
});

test('thousands of contents are found by size and SHA-256, the first of equal ones', () => {
  const contents = known();
  for (let at = 0; at < 5000; at++)
    contents.add(file(`f${at}`, at + 1, { ...bySha256(`f${at}`), chunk: at % 7, offset: at * 512 }));
  contents.add(file('f3', 4, { ...bySha256('f3'), chunk: 99, offset: 0 }));
  contents.finish();

  for (const at of [0, 3, 1023, 1024, 4999])
    expect(contents.find(0, at + 1, made(`f${at}`))).toMatchObject({ chunk: at % 7, offset: at * 512 });
  expect([contents.find(0, 5, made('f3')), contents.find(0, 4, made('x'))]).toEqual([undefined, undefined]);
  expect([0, 1, 5000, 5001].map((size) => contents.hasSize(size))).toEqual([false, true, true, false]);
});

test('pieces and holes are kept; what has no digest, nothing in it, or changed while it was stored is no content', () => {
  const segments = [{ chunk: 3, offset: 512, size: 10 }];
  const holes = [[0, 5]] as const;
  const contents = known();
  contents.add(file('empty', 0, { chunk: 8, offset: 0 }));
  const { md5: _, ...undigested } = file('unknown', 10, { chunk: 8, offset: 0 });
  contents.add(undigested);
  contents.add(file('restless', 10, { ...bySha256('restless'), chunk: 8, offset: 0, changed: true }));
  contents.add(file('cut', 10, { ...bySha256('cut'), segments, holes }));
  contents.add(file('sparse', 12, { ...bySha256('sparse'), chunk: 1, offset: 1024, holes }));
  contents.finish();

  expect(contents.find(0, 10, made('cut'))).toEqual({ segments, holes, ...digestsOf('cut') });
  expect(contents.find(0, 12, made('sparse'))).toEqual({ chunk: 1, offset: 1024, holes, ...digestsOf('sparse') });
  expect([contents.find(0, 0, made('empty')), contents.find(0, 10, made('restless'))]).toEqual([undefined, undefined]);
  expect(contents.anyPlace).toEqual({ chunk: 3, offset: 512 });
});

const digestsOf = (name: string): Partial<Entry> => ({
  md5: hashed('md5', name).toString('hex'),
  ...bySha256(name),
});

const XXH64 = 'a1b2c3d4e5f60718';
const xxh64 = Buffer.from(XXH64.padEnd(64, '0'), 'hex');

test('an MD5 alone proves nothing: the seeded hash has to be the same, made with the seed of where the content lies', () => {
  const contents = known();
  contents.add(file('a', 4, { xxh64: XXH64, chunk: 25, offset: 512 }));
  contents.add(file('bare', 4, { chunk: 1, offset: 0 }));
  contents.finish();

  expect(contents.find(0, 4, made('a', { seed: 2n }, xxh64))).toMatchObject({ chunk: 25, offset: 512, xxh64: XXH64 });
  expect(contents.find(0, 4, made('a', { seed: 2n }, Buffer.alloc(32)))).toBeUndefined();
  expect([contents.find(0, 4, made('a', { seed: 1n }, xxh64)), contents.find(0, 4, made('a'))]).toEqual([
    { seed: 2n },
    { seed: 2n },
  ]);
  expect([contents.find(0, 4, made('bare')), contents.hasSize(4)]).toEqual([undefined, false]);
});

test('what is worth reading: as large as what the path had before, or with size and time, or size and name, of something that is gone', () => {
  const contents = known(3);
  contents.addBefore(1, file('before', 4, { xxh64: XXH64, chunk: 31, offset: 0 }), false);
  contents.add(file('x/gone', 5, { ...bySha256('gone'), mtime: { seconds: -7, nanos: 9 }, chunk: 1, offset: 0 }));
  contents.finish();
  const stamp = { path: raw('other'), size: 5, mtime: { seconds: -7, nanos: 9 } };
  const touched = { path: raw('y/z/gone'), size: 5, mtime: { seconds: 1, nanos: 0 } };

  expect(contents.proofFor(1, { ...touched, size: 4 })).toEqual({ seed: 3n });
  expect([stamp, touched].map((looks) => contents.proofFor(0, looks))).toEqual(['sha256', 'sha256']);
  for (const other of [
    { ...stamp, size: 6 },
    { ...stamp, mtime: { seconds: -7, nanos: 8 } },
    { ...touched, size: 6 },
    { ...touched, path: raw('gone/x') },
  ])
    expect(contents.proofFor(0, other)).toBeUndefined();
});

test('of a version with MD5s alone a path is believed to have what it had, where size and modification time say so too', () => {
  const contents = known(3);
  contents.addBefore(0, file('old', 4, { chunk: 1, offset: 0 }), true);
  contents.addBefore(1, file('old', 4, { chunk: 1, offset: 0 }), false);
  contents.finish();
  const stamp = { path: raw('a'), size: 4, mtime: time };

  expect([contents.proofFor(0, stamp), contents.proofFor(1, stamp)]).toEqual([{ seed: 0n }, undefined]);
  expect([0, 1].map((row) => contents.find(row, 4, made('old', { seed: 0n })))).toEqual([
    { chunk: 1, offset: 0, md5: hashed('md5', 'old').toString('hex') },
    undefined,
  ]);
});

test('nothing is known of an empty version', () => {
  const contents = known();
  contents.finish();
  expect([contents.hasSize(1), contents.find(0, 1, made('x'))]).toEqual([false, undefined]);
});

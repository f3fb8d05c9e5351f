import { expect, test } from 'vitest';
import { encodeTable } from '../../../../src/core/format/chunk/table-frame.js';
import { EntryTableBuilder, KIND, openEntryTable, STATUS } from '../../../../src/core/format/columns/entry-table.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import type { EntryExtra } from '../../../../src/core/format/manifest/entry-line.js';
import { matchRows } from '../../../../src/core/archive/resumed/match-rows.js';
import type { AcknowledgedChunk } from '../../../../src/core/archive/resume/upload-journal.js';
import { raw } from '../../../support/raw.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const ID = asUploadId('20260304-050607-01020304');
const TIME = '1970-01-01T00:00:05.000000006Z';
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';
type Fields = Record<string, unknown>;

/** Rows of files with everything the same, but for what is given. */
function tableOf(...rows: readonly { path: string; kind?: number; group?: number; link?: number; inode?: bigint }[]) {
  const builder = new EntryTableBuilder();
  for (const { path, kind = KIND.file, group = 0, link = 0, inode = 9n } of rows) {
    const row = builder.add(raw(path));
    const c = builder.columns;
    [c.kind[row], c.group[row], c.link[row], c.inode[row]] = [kind, group, link, inode];
    [c.size[row], c.mode[row], c.uid[row], c.gid[row]] = [3, 0o644, 1, 2];
    [c.mtimeSeconds[row], c.mtimeNanos[row], c.ctimeSeconds[row], c.ctimeNanos[row]] = [5, 6, 5, 6];
  }
  return openEntryTable(builder.finish());
}

const entry = (path: string, fields: Fields = {}): Fields => ({
  path,
  type: 'file',
  size: 3,
  mtime: TIME,
  ctime: TIME,
  mode: '0644',
  uid: 1,
  gid: 2,
  md5: MD5,
  chunk: 0,
  offset: 512,
  inode: '9',
  ...fields,
});

function chunk(number: number, entries: readonly Fields[], part?: Fields): AcknowledgedChunk {
  const about = { chunk: number, shard: 0, rawSize: 0, level: 1, frames: [], ...(part === undefined ? {} : { part }) };
  const head = JSON.stringify({ format: 1, uploadId: ID, chunk: about }).slice(0, -1);
  const text = `${head},"files":[\n${entries.map((line) => JSON.stringify(line)).join(',\n')}\n]}\n`;
  const key = `shard-00/chunk-${String(number).padStart(6, '0')}.tar.zst`;
  const record = { chunk: number, key, shard: 0, size: 1, rawSize: 0, entries: entries.length, level: 1 };
  return {
    key: `uploads/${ID}/${key}`,
    record: { ...record, storageClass: 'STANDARD', sha256: '', tocSize: 0, frames: [] },
    toc: encodeTable(loadCodec(), Buffer.from(text)),
  };
}

function match(table: ReturnType<typeof tableOf>, chunks: readonly AcknowledgedChunk[], fileChecksums = true) {
  const extras = new Map<number, EntryExtra>();
  const found = matchRows({ table, extras, chunks, codec: loadCodec(), fileChecksums });
  return { ...found, extras, statuses: [...table.columns.status.subarray(0, table.count)] };
}

const { stored, pending } = STATUS;

test('a row that is listed the same is stored where the chunk says', () => {
  const table = tableOf({ path: 'a' }, { path: 'b' });

  const { statuses, used } = match(table, [chunk(4, [entry('a', { offset: 1024 })])]);

  expect(statuses).toEqual([stored, pending]);
  expect([table.columns.chunk[0], table.columns.offset[0]]).toEqual([4, 1024]);
  expect(table.md5.toString('hex', 0, 16)).toBe(MD5);
  expect([...used]).toEqual([4]);
});

test.each<readonly [string, Fields]>([
  ['size', { size: 4 }],
  ['mtime', { mtime: TIME.replace('05.', '06.') }],
  ['nanoseconds of mtime', { mtime: TIME.replace('6Z', '7Z') }],
  ['ctime', { ctime: TIME.replace('05.', '06.') }],
  ['nanoseconds of ctime', { ctime: TIME.replace('6Z', '7Z') }],
  ['mode', { mode: '0600' }],
  ['owner', { uid: 7 }],
  ['group', { gid: 7 }],
  ['inode', { inode: '10' }],
  ['type', { type: 'symlink', target: 'x' }],
  ['hard link', { linkGroup: 1 }],
  ['unsteady content', { changed: true }],
  ['missing checksum', { md5: undefined }],
])('another %s makes it pending', (_name, fields) => {
  expect(match(tableOf({ path: 'a' }), [chunk(0, [entry('a', fields)])]).statuses).toEqual([pending]);
});

test('without checksums none is asked for', () => {
  expect(match(tableOf({ path: 'a' }), [chunk(0, [entry('a', { md5: undefined })])], false).statuses).toEqual([stored]);
});

test('of two that fit the newest counts', () => {
  const table = tableOf({ path: 'a' });

  expect([...match(table, [chunk(0, [entry('a')]), chunk(3, [entry('a')])]).used]).toEqual([3]);
});

test('a group of hard links is taken over as a whole or not at all', () => {
  const rows = [
    { path: 'a', group: 1 },
    { path: 'b', group: 1, kind: KIND.hardlink },
  ];
  const first = entry('a', { linkGroup: 7 });
  const second = entry('b', { linkGroup: 7, type: 'hardlink' });

  expect(match(tableOf(...rows), [chunk(0, [first, second])]).statuses).toEqual([stored, stored]);
  expect(match(tableOf(...rows), [chunk(0, [first])]).statuses).toEqual([pending, pending]);
  expect(match(tableOf(...rows), [chunk(0, [first]), chunk(1, [second])]).statuses).toEqual([pending, pending]);
});

test('pieces of a file whose last one is missing are only reported', () => {
  const piece = (number: number) =>
    chunk(number, [entry('a')], { number, of: 3, offset: number * 10 - 10, size: 10, stored: 10 });

  const { statuses, pieces, used } = match(tableOf({ path: 'a' }), [piece(1), piece(2)]);

  expect(statuses).toEqual([pending]);
  expect(
    pieces
      .get(0)
      ?.map(({ number, offset }) => [number, offset])
      .sort(),
  ).toEqual([
    [1, 0],
    [2, 10],
  ]);
  expect([...used]).toEqual([]);
});

test('a cut file counts as stored only while every piece that its end was made with is there', () => {
  const segments = [
    { chunk: 1, offset: 512, size: 2 },
    { chunk: 2, offset: 512, size: 1 },
  ];
  const first = chunk(1, [entry('a', { md5: undefined })], { number: 1, of: 2, offset: 0, size: 2, stored: 2 });
  const last = { ...chunk(2, [entry('a')], { number: 2, of: 2, offset: 2, size: 1, stored: 1 }), segments };

  const whole = match(tableOf({ path: 'a' }), [first, last]);
  const torn = match(tableOf({ path: 'a' }), [last]);

  expect(whole.statuses).toEqual([stored]);
  expect(whole.extras.get(0)?.segments).toEqual(segments);
  expect(whole.used).toEqual(new Set([1, 2]));
  expect(torn.statuses).toEqual([pending]);
});

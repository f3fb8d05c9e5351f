import { expect, test } from 'vitest';
import { openBatchHash, VERDICT } from '../../../../src/core/restore/unpack/batch-hash.js';
import { CheckSink } from '../../../../src/core/restore/write/check-sink.js';
import { ChunkUnpacker } from '../../../../src/core/restore/unpack/chunk-unpacker.js';
import { openTable, STATE, TableBuilder } from '../../../../src/core/restore/plan/selected-table.js';
import { md5 } from '../../../support/make-archive.js';
import { raw } from '../../../support/raw.js';

// Four files one after another: the first is right, the second wrong, the third has no MD5, the fourth goes on later.
const CONTENTS = ['alpha', 'beta!', 'gamma', 'delta'];

function prepare() {
  const builder = new TableBuilder();
  const time = { seconds: 0, nanos: 0 };
  CONTENTS.forEach((content, index) => {
    const sum = [md5(content), md5('other'), undefined, md5(content)][index];
    const entry = {
      path: raw(`f${index}`),
      type: 'file' as const,
      size: 5,
      mode: 0o644,
      uid: 0,
      gid: 0,
      mtime: time,
      ctime: time,
      inode: raw(''),
    };
    builder.add({ ...entry, chunk: 0, offset: index * 5, ...(sum === undefined ? {} : { md5: sum }) });
  });
  const table = openTable(builder.data());
  const extents = {
    entry: Uint32Array.of(0, 1, 2, 3),
    offset: Float64Array.of(100, 105, 110, 115),
    size: Float64Array.of(5, 5, 5, 5),
    position: new Float64Array(4),
  };
  return { table, extents };
}

test('says of each whole file of a frame whether its MD5 is right', () => {
  const { table, extents } = prepare();
  const batch = openBatchHash(table, extents);
  batch?.allocate(18).set(Buffer.from(CONTENTS.join('').slice(0, 18)));

  batch?.run(0, 4, 100, 118);

  const expected = [VERDICT.right, VERDICT.wrong, VERDICT.unknown, VERDICT.unknown];
  expect([0, 1, 2, 3].map((extent) => batch?.verdict(extent))).toEqual(batch === undefined ? [] : expected);
});

test.each(['with the batch', 'without it'])('the same files fail %s', (how) => {
  const { table, extents } = prepare();
  const batch = how === 'with the batch' ? openBatchHash(table, extents) : undefined;
  const unpacker = new ChunkUnpacker(table, extents, new CheckSink(table), batch);
  const bytes = batch?.allocate(18) ?? new Uint8Array(18);
  bytes.set(Buffer.from(CONTENTS.join('').slice(0, 18)));

  unpacker.beginChunk(0, 4, new Map());
  unpacker.consume(100, bytes, batch !== undefined);
  unpacker.consume(118, Buffer.from('ta'), false);

  expect([...table.columns.state.subarray(0, 4)]).toEqual([STATE.done, STATE.failed, STATE.done, STATE.done]);
  expect(unpacker.takeFailures()).toEqual([{ index: 1, reason: expect.stringContaining('MD5') }]);
});

import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeLogRecord } from '../../../../src/core/archive/resume/entry-log.js';
import { NOTHING_SENT, readSentShards } from '../../../../src/core/archive/resume/sent-shards.js';
import type { ChunkRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { logHeader } from '../../../../src/core/platform/state/log.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { SAMPLE_ID } from './sample-state.js';

/** A chunk as the journal notes it. */
const noted = (chunk: number, shard: number, size: number): Buffer =>
  encodeLogRecord({
    key: `uploads/${SAMPLE_ID}/shard-0${shard}/chunk-00000${chunk}.tar.zst`,
    record: chunkRecord(chunk, shard, size),
    toc: Buffer.from('toc'),
  });

function chunkRecord(chunk: number, shard: number, size: number): ChunkRecord {
  return {
    chunk,
    key: `shard-0${shard}/chunk-00000${chunk}.tar.zst`,
    shard,
    size,
    rawSize: size * 2,
    entries: 1,
    level: 3,
    storageClass: 'STANDARD',
    sha256: 'a'.repeat(64),
    tocSize: 3,
    frames: [{ size: size - 3, rawSize: size * 2, sha256: 'b'.repeat(64) }],
  };
}

async function newLog(): Promise<string> {
  const path = join(await tempFolder(), `${SAMPLE_ID}.entries`);
  await writeFile(path, Buffer.concat([logHeader(SAMPLE_ID), noted(0, 0, 100), noted(1, 2, 50)]));
  return path;
}

test('chunks and bytes of each shard are added up, and what was appended is added to them', async () => {
  const path = await newLog();
  const first = await readSentShards(path, SAMPLE_ID);
  expect(first.shards).toEqual([
    { chunks: 1, bytes: 100 },
    { chunks: 0, bytes: 0 },
    { chunks: 1, bytes: 50 },
  ]);
  expect(await readSentShards(path, SAMPLE_ID, first)).toBe(first);
  await appendFile(path, noted(2, 0, 7));

  // Not what was read before: that alone is there.
  const appended = await readSentShards(path, SAMPLE_ID, { ...first, shards: [] });
  expect(appended.shards).toEqual([{ chunks: 1, bytes: 7 }]);
  expect((await readSentShards(path, SAMPLE_ID, first)).shards[0]).toEqual({ chunks: 2, bytes: 107 });
});

test('a record that is being written counts once it is whole', async () => {
  const path = await newLog();
  const first = await readSentShards(path, SAMPLE_ID);
  const record = noted(2, 1, 9);
  await appendFile(path, record.subarray(0, 30));
  const half = await readSentShards(path, SAMPLE_ID, first);
  expect(half.shards).toEqual(first.shards);
  await appendFile(path, record.subarray(30));

  expect((await readSentShards(path, SAMPLE_ID, half)).shards[1]).toEqual({ chunks: 1, bytes: 9 });
});

test('a list that began anew is read from its beginning, and one that is not there says nothing', async () => {
  const path = await newLog();
  const first = await readSentShards(path, SAMPLE_ID);
  await truncate(path, logHeader(SAMPLE_ID).length);

  expect((await readSentShards(path, SAMPLE_ID, first)).shards).toEqual([]);
  expect(await readSentShards(`${path}.gone`, SAMPLE_ID, first)).toBe(NOTHING_SENT);
});

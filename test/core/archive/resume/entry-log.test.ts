import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeLogRecord, readLog } from '../../../../src/core/archive/resume/entry-log.js';
import { logHeader } from '../../../../src/core/platform/state/log.js';
import type { AcknowledgedChunk } from '../../../../src/core/archive/resume/upload-journal.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const ID = asUploadId('20260304-050607-01020304');

const chunk = (number: number): AcknowledgedChunk => {
  const key = `shard-00/chunk-${String(number).padStart(6, '0')}.tar.zst`;
  const frames = [{ size: 80, rawSize: 512, sha256: 'b'.repeat(64) }];
  const record = {
    chunk: number,
    key,
    shard: 0,
    size: 100,
    rawSize: 512,
    entries: 1,
    level: 3,
    storageClass: 'STANDARD',
  };
  return {
    key: `uploads/${ID}/${key}`,
    record: { ...record, sha256: 'a'.repeat(64), tocSize: 20, frames },
    toc: Buffer.from(`table ${number}`),
    ...(number === 2 ? { segments: [{ chunk: 1, offset: 512, size: 9 }] } : {}),
  };
};

async function logOf(...numbers: readonly number[]): Promise<string> {
  const path = join(await tempFolder(), `${ID}.entries`);
  writeFileSync(path, Buffer.concat([logHeader(ID), ...numbers.map((number) => encodeLogRecord(chunk(number)))]));
  return path;
}

test('what was written is read', async () => {
  const path = await logOf(0, 1, 2);

  expect(await readLog(path, ID)).toEqual({
    chunks: [chunk(0), chunk(1), chunk(2)],
    length: readFileSync(path).length,
  });
});

test('a torn tail is passed over wherever it was torn', async () => {
  const whole = readFileSync(await logOf(0, 1));
  const sound = readFileSync(await logOf(0)).length;
  const path = join(await tempFolder(), 'log');
  for (let length = sound; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length));
    expect(await readLog(path, ID)).toEqual({ chunks: [chunk(0)], length: sound });
  }
});

test('no flipped bit makes a record that was not written', async () => {
  const whole = readFileSync(await logOf(0, 1, 2));
  const path = join(await tempFolder(), 'log');
  const written = [chunk(0), chunk(1), chunk(2)];
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: logHeader(ID).length, max: whole.length - 1 }), fc.nat(7), async (at, bit) => {
      const bent = Buffer.from(whole);
      bent.writeUInt8((bent[at] ?? 0) ^ (1 << bit), at);
      writeFileSync(path, bent);
      const { chunks } = await readLog(path, ID);
      expect(chunks).toEqual(written.slice(0, chunks.length));
      expect(chunks.length).toBeLessThan(3);
    }),
    { numRuns: 200 },
  );
});

test.each([
  ['another upload', '20260304-050607-01020305', 'integrity', 'is not the list of chunks of this upload'],
  ['nothing', '', 'integrity', 'is not the list of chunks of this upload'],
])('the log of %s is refused', async (_name, other, code, words) => {
  const path = await logOf(0);
  if (other === '') truncateSync(path, 5);

  await expect(readLog(path, asUploadId(other === '' ? ID : other))).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

test('a newer log is refused by name', async () => {
  const path = await logOf(0);
  const bytes = readFileSync(path);
  bytes.write('ARCHLOG2', 0, 'latin1');
  writeFileSync(path, bytes);

  await expect(readLog(path, ID)).rejects.toMatchObject({ code: 'unsupported', hint: 'update archiver' });
});

test('what follows the sound records is overwritten by the next one', async () => {
  const path = await logOf(0);
  const { length } = await readLog(path, ID);
  appendFileSync(path, Buffer.alloc(50, 7));
  truncateSync(path, length);
  appendFileSync(path, encodeLogRecord(chunk(1)));

  expect((await readLog(path, ID)).chunks).toEqual([chunk(0), chunk(1)]);
});

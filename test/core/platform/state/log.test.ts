import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeRecord, LogFile, logHeader, readRecords } from '../../../../src/core/platform/state/log.js';
import { tempFolder } from '../../../support/temp-folder.js';

const record = (text: string): Buffer => encodeRecord([Buffer.from(text)]);

async function logOf(...texts: readonly string[]): Promise<string> {
  const path = join(await tempFolder(), 'x.log');
  const log = await LogFile.open(path, 'me');
  await log.append(texts.map(record));
  await log.close();
  return path;
}

async function read(path: string, owner = 'me'): Promise<{ texts: string[]; length: number }> {
  const texts: string[] = [];
  const length = await readRecords(path, { owner, what: 'my list' }, (payload) => texts.push(payload.toString()));
  return { texts, length };
}

test('records are read as they were appended', async () => {
  const path = await logOf('one', '', 'three');

  expect(await read(path)).toEqual({ texts: ['one', '', 'three'], length: readFileSync(path).length });
});

test('whatever is cut off the end, the records before it are read, and the next one takes the place of the rest', async () => {
  const path = await logOf('one', 'two');
  const whole = readFileSync(path);
  const oneEnds = logHeader('me').length + record('one').length;
  for (let size = oneEnds; size < whole.length; size++) {
    writeFileSync(path, whole.subarray(0, size));
    expect(await read(path)).toEqual({ texts: ['one'], length: oneEnds });
  }
  truncateSync(path, whole.length - 1);

  const log = await LogFile.open(path, 'me', oneEnds);
  await log.append([record('new')]);
  await log.close();

  expect((await read(path)).texts).toEqual(['one', 'new']);
});

test('bytes that nobody appended end the sound part', async () => {
  const path = await logOf('one');
  const { length } = await read(path);
  appendFileSync(path, Buffer.alloc(100));

  expect(await read(path)).toEqual({ texts: ['one'], length });
});

test('a log is never made where one is', async () => {
  await expect(LogFile.open(await logOf('one'), 'me')).rejects.toMatchObject({ code: 'EEXIST' });
});

test('the log of somebody else, or a newer one, is refused', async () => {
  const path = await logOf('one');

  await expect(read(path, 'you')).rejects.toMatchObject({ code: 'integrity', message: `${path} is not my list` });
  writeFileSync(path, readFileSync(path, 'latin1').replace('ARCHLOG1', 'ARCHLOG2'), 'latin1');
  await expect(read(path)).rejects.toMatchObject({ code: 'unsupported' });
});

// What is to go to a storage class that the store does not have is refused before anything is sent.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { archiveFolder } from '../../../../src/core/archive/archive-folder.js';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { raw } from '../../../support/raw.js';
import { tempFolder } from '../../../support/temp-folder.js';

const CLASS = 'x-amz-storage-class';
let s3: MemoryS3;
let home: string;
let source: string;

beforeAll(useTestCredentials);
beforeEach(async () => {
  s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const folder = await tempFolder();
  [home, source] = [join(folder, 'home'), join(folder, 'source')];
  mkdirSync(source);
  writeFileSync(join(source, 'file'), 'content');
});

const upload = async (layout: object, more: object = {}, prefix = 'p'): Promise<UploadResult> => {
  const store = await openTestS3(s3.endpoint, 'bucket', { prefix });
  s3.requests.length = 0;
  const { signal } = new AbortController();
  const emit = (): void => undefined;
  return await archiveFolder({
    store,
    source: raw(source),
    home,
    layout,
    packing: { workers: 1 },
    emit,
    signal,
    ...more,
  });
};

const keys = (): string[] => [...(s3.buckets.get('bucket')?.keys() ?? [])];
const asked = (): unknown[] =>
  s3.requests
    .filter(({ operation, path }) => operation === 'PutObject' && path.includes('/create-once-'))
    .map(({ headers }) => headers[CLASS]);
const chunks = (): number => s3.requests.filter(({ path }) => path.includes('/shard-')).length;
/** Stored as if nobody had said it. */
const drops = (...but: readonly string[]): void => {
  s3.rules.answer = (_, { headers }) => {
    if (!but.includes(String(headers[CLASS]))) delete headers[CLASS];
    return undefined;
  };
};
const refuses = (status: number, code: string, ...but: readonly string[]): void => {
  s3.rules.answer = (operation, { headers }) => {
    const name = headers[CLASS];
    return operation === 'PutObject' && name !== undefined && !but.includes(String(name))
      ? errorAnswer(status, code)
      : undefined;
  };
};

describe('a store that takes the word of any class and keeps STANDARD, as Garage does', () => {
  test('is told from one that has the class, nothing is sent, and nothing stays', async () => {
    drops();

    await expect(upload({ storageClass: 'GLACIER' })).rejects.toMatchObject({
      code: 'unsupported',
      exitCode: 1,
      message:
        's3://bucket/p does not have storage class GLACIER (it takes GLACIER and keeps it as STANDARD); asked just now, it keeps STANDARD alone; nothing was sent',
      hint: 'leave the storage class out (chunks are then STANDARD)',
    });
    expect([chunks(), keys()]).toEqual([0, []]);
  });

  test('is asked for the classes that tiers have come to, and for no others', async () => {
    drops('GLACIER');
    const tiers = { strategy: 'youngest-file', hotDays: 0, coldDays: 90, archiveDays: 180, max: undefined } as const;

    const aYearOld = { ...tiers, max: 'GLACIER', nowSeconds: Date.now() / 1000 + 365 * 86_400 };

    await upload({ tiers: aYearOld });
    const asks = asked();
    const storing = upload({ tiers: { ...tiers, nowSeconds: Date.now() / 1000 + 3600 } });

    expect(asks).toEqual(['GLACIER']);
    await expect(storing).rejects.toMatchObject({
      message: expect.stringContaining('class STANDARD_IA (') as string,
      hint: expect.stringContaining('or name one that it keeps (GLACIER)') as string,
    });
  });

  test('is asked nothing for STANDARD', async () => {
    drops();

    await upload({});

    expect(asked()).toEqual([]);
  });
});

describe('a store that refuses a class', () => {
  test.each(['InvalidStorageClass', 'InvalidArgument'])('with %s: those that it keeps are named', async (code) => {
    refuses(400, code, 'STANDARD_IA', 'GLACIER_IR');

    await expect(upload({ storageClass: 'GLACIER' })).rejects.toMatchObject({
      code: 'unsupported',
      message: `s3://bucket/p does not have storage class GLACIER (it answered ${code}); asked just now, it keeps STANDARD, STANDARD_IA, GLACIER_IR; nothing was sent`,
      hint: 'leave the storage class out (chunks are then STANDARD), or name one that it keeps (STANDARD_IA, GLACIER_IR)',
    });
    expect([chunks(), keys()]).toEqual([0, []]);
  });

  test('and every other object as well keeps its own words', async () => {
    s3.rules.answer = (operation) =>
      operation === 'PutObject' ? errorAnswer(400, 'BrokenToday', 'come back') : undefined;

    await expect(upload({ storageClass: 'GLACIER' })).rejects.toMatchObject({
      message: expect.stringContaining('400 BrokenToday: come back') as string,
    });
  });

  test('by a policy says so at the first chunk', async () => {
    refuses(403, 'AccessDenied');

    await expect(upload({ storageClass: 'GLACIER' })).rejects.toMatchObject({ code: 'access-denied' });
    expect(chunks()).toBe(1);
  });

  test('and may not be listed names the class', async () => {
    refuses(400, 'InvalidStorageClass');
    const put = s3.rules.answer;
    s3.rules.answer = (operation, call) =>
      operation === 'ListObjectsV2' ? errorAnswer(403, 'AccessDenied') : put?.(operation, call);

    await expect(upload({ storageClass: 'GLACIER' })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/chunk-000000.*: the store does not have storage class GLACIER$/) as string,
      hint: expect.stringContaining('archiver access-check') as string,
    });
    expect(asked()).toEqual([]);
  });
});

describe('a store that keeps the class', () => {
  test('is asked with three requests, once', async () => {
    const { requests: first } = await upload({ storageClass: 'GLACIER' });
    expect(asked()).toEqual(['GLACIER']);
    const { requests: second } = await upload({ storageClass: 'GLACIER' }, {}, 'elsewhere');

    expect(asked()).toEqual([]);
    expect(first).toMatchObject({ put: second.put + 1, list: second.list + 1, delete: 1 });
    expect(second.delete).toBe(0);
    expect(keys().filter((key) => key.includes('create-once'))).toEqual([]);
    expect(readdirSync(join(home, 'storage-classes'))).toHaveLength(1);
  });

  test('is asked again where the note is one of another class', async () => {
    const notes = join(home, 'storage-classes');
    await upload({ storageClass: 'GLACIER' });
    const [note = ''] = readdirSync(notes);
    await upload({ storageClass: 'GLACIER_IR' });
    for (const name of readdirSync(notes)) if (name !== note) copyFileSync(join(notes, note), join(notes, name));
    await upload({ storageClass: 'GLACIER_IR' });

    expect(asked()).toEqual(['GLACIER_IR']);
  });

  test('is asked again for another class, after 30 days, and where the note is damaged', async () => {
    await upload({ storageClass: 'GLACIER' });
    await upload({ storageClass: 'GLACIER_IR' });
    expect(asked()).toEqual(['GLACIER_IR']);

    await upload({ storageClass: 'GLACIER' }, { now: () => new Date(Date.now() + 31 * 86_400_000) });
    expect(asked()).toEqual(['GLACIER']);

    for (const name of readdirSync(join(home, 'storage-classes')))
      writeFileSync(join(home, 'storage-classes', name), '{');
    await upload({ storageClass: 'GLACIER' });
    expect(asked()).toEqual(['GLACIER']);
  });
});

test('who may not list goes on', async () => {
  s3.rules.answer = (operation) => (operation === 'ListObjectsV2' ? errorAnswer(403, 'AccessDenied') : undefined);

  await upload({ storageClass: 'GLACIER' });

  expect([asked(), chunks()]).toEqual([[], 1]);
});

import { describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { ObjectReader } from '../../../../src/core/store/object-store.js';
import { chunkStates } from '../../../../src/core/restore/thaw/chunk-states.js';
import { type ColdArchive, makeColdArchive, thawedFor } from '../../../support/cold-archive.js';

const now = (): Date => new Date();
const look = async (cold: ColdArchive, count: number, reader: ObjectReader = cold.store): Promise<string[]> => {
  const keys = Array.from({ length: count }, (_, index) => cold.chunkKey(index));
  return (await chunkStates(reader, keys, { now: now() })).map(({ state }) => state);
};
const times = (count: number, storageClass: string): string[] => Array.from({ length: count }, () => storageClass);

describe('the states of chunks', () => {
  test('follow from class, status and expiry, in the order asked', async () => {
    const cold = await makeColdArchive(times(6, 'GLACIER'));
    cold.chunk(1).restore = 'ongoing-request="true"';
    cold.chunk(2).restore = thawedFor(1);
    cold.chunk(3).restore = thawedFor(-1);
    delete cold.chunk(4).headers['x-amz-storage-class'];
    cold.s3.buckets.get('cold')?.delete(cold.chunkKey(5));

    expect(await look(cold, 6)).toEqual(['cold', 'thawing', 'readable', 'cold', 'readable', 'missing']);
    expect(cold.requests()).toEqual({ HeadObject: 6 });
  });

  test('say until when a copy stays and which class the object has now', async () => {
    const cold = await makeColdArchive(['DEEP_ARCHIVE']);
    cold.chunk(0).restore = 'ongoing-request="false", expiry-date="Fri, 21 Dec 2085 00:00:00 GMT"';

    expect(await chunkStates(cold.store, [cold.chunkKey(0)], { now: now() })).toEqual([
      {
        key: cold.chunkKey(0),
        state: 'readable',
        storageClass: 'DEEP_ARCHIVE',
        expiresAt: new Date('2085-12-21T00:00:00Z'),
      },
    ]);
  });

  test('of many chunks come from one listing where it has the restore status', async () => {
    const cold = await makeColdArchive(times(40, 'GLACIER'));
    cold.chunk(7).restore = 'ongoing-request="true"';
    cold.chunk(8).restore = thawedFor(1);

    const states = await look(cold, 40);

    expect([states[6], states[7], states[8]]).toEqual(['cold', 'thawing', 'readable']);
    expect(cold.requests()).toEqual({ ListObjectsV2: 1 });
  });

  test('of many chunks that nobody asked for cost a listing and a few looks', async () => {
    const cold = await makeColdArchive(times(40, 'GLACIER'));

    expect(await look(cold, 40)).toEqual(times(40, 'cold'));
    expect(cold.requests()).toEqual({ ListObjectsV2: 1, HeadObject: 10 });
  });

  test('come one by one from a server whose listing does not tell', async () => {
    const cold = await makeColdArchive(times(40, 'GLACIER'));
    cold.s3.cold.isListed = false;
    for (let index = 0; index < 40; index++) cold.chunk(index).restore = thawedFor(1);

    expect(await look(cold, 40)).toEqual(times(40, 'readable'));
    expect(cold.requests()).toEqual({ ListObjectsV2: 1, HeadObject: 50 });
  });

  test('come one by one where listing is denied', async () => {
    const cold = await makeColdArchive(times(12, 'GLACIER'));
    const list = (): never => {
      throw new ArchiverError('access-denied', 'no listing');
    };

    expect(await look(cold, 12, { ...cold.store, list })).toEqual(times(12, 'cold'));
    expect(cold.requests()).toEqual({ HeadObject: 12 });
  });

  test('name a chunk that may not be looked at, and fail for what is no answer about a chunk', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    const failing = (error: Error): ObjectReader => ({ ...cold.store, head: () => Promise.reject(error) });

    expect(await look(cold, 1, failing(new ArchiverError('access-denied', 'no')))).toEqual(['denied']);
    await expect(look(cold, 1, failing(new ArchiverError('store', 'the network is down')))).rejects.toThrow('network');
  });

  test('of a listing miss what is gone', async () => {
    const cold = await makeColdArchive(times(12, 'STANDARD'));
    cold.s3.buckets.get('cold')?.delete(cold.chunkKey(3));

    expect((await look(cold, 12))[3]).toBe('missing');
  });
});

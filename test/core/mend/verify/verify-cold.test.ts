import { expect, test } from 'vitest';
import type { VerifyOptions, VerifyResult } from '../../../../src/core/mend/verify/verify.js';
import type { StoreVerdict } from '../../../../src/core/mend/verify/store-verdict.js';
import { type ColdArchive, makeColdArchive, thawedFor } from '../../../support/cold-archive.js';
import { verifyMade, verifyMadeStore } from '../../../support/verify-made.js';

const verify = (cold: ColdArchive, options: Partial<VerifyOptions> = {}): Promise<VerifyResult> =>
  verifyMade(cold.store, cold.archive.uploadId, options);
const verifyAll = (cold: ColdArchive, options: Partial<VerifyOptions> = {}): Promise<StoreVerdict> =>
  verifyMadeStore(cold.store, options);

const damage = (cold: ColdArchive, index: number): void => {
  const { body } = cold.chunk(index);
  body[20] = (body[20] ?? 0) ^ 1;
};

test('a cold chunk is counted, and all others are read', async () => {
  const cold = await makeColdArchive(['STANDARD', 'GLACIER', 'STANDARD', 'DEEP_ARCHIVE']);
  const sizes = [1, 3].map((index) => cold.chunk(index).body.byteLength);

  const upload = await verify(cold);
  const store = await verifyAll(cold);

  const unread = {
    ok: true,
    checked: 'sample',
    chunks: 4,
    chunksRead: 2,
    filesRead: 2,
    unreadCold: [
      { storageClass: 'DEEP_ARCHIVE', chunks: 1, bytes: sizes[1], state: 'cold' },
      { storageClass: 'GLACIER', chunks: 1, bytes: sizes[0], state: 'cold' },
    ],
  };
  expect(upload).toMatchObject({ ...unread, errors: [], warnings: [] });
  expect(store).toMatchObject(unread);
});

test('damage beside a cold chunk is found', async () => {
  const cold = await makeColdArchive(['GLACIER', 'STANDARD', 'STANDARD']);
  damage(cold, 2);

  const upload = await verify(cold);

  expect(upload).toMatchObject({ ok: false, chunksRead: 2, unreadCold: [{ chunks: 1 }] });
  expect(upload.errors.map(({ path, key }) => path ?? key)).toEqual([
    expect.stringContaining('chunk-000002'),
    'file-2',
  ]);
});

test('the class is that of the store, whatever the manifest says', async () => {
  const moved = await makeColdArchive(['GLACIER', 'STANDARD'], ['STANDARD', 'STANDARD']);
  const back = await makeColdArchive(['STANDARD', 'STANDARD'], ['GLACIER', 'STANDARD']);

  expect(await verify(moved)).toMatchObject({
    ok: true,
    chunksRead: 1,
    unreadCold: [{ storageClass: 'GLACIER', chunks: 1 }],
  });
  // One byte of what the listing says is cold is asked for, in case that its class is only a label.
  expect(moved.requests()['GetObject']).toBe(3);
  expect(await verify(back)).toMatchObject({ ok: true, checked: 'content', chunksRead: 2, unreadCold: [] });
});

test('where a cold class is only a label, everything is read', async () => {
  const labels = await makeColdArchive(['GLACIER', 'STANDARD', 'DEEP_ARCHIVE']);
  labels.s3.cold.isFrozen = false;
  damage(labels, 2);

  expect(await verify(labels)).toMatchObject({ ok: false, chunksRead: 3, unreadCold: [] });
});

test('what was requested is read when it is there, and counted while it is on its way or has expired', async () => {
  const cold = await makeColdArchive(['GLACIER', 'GLACIER', 'GLACIER', 'STANDARD']);
  cold.chunk(0).restore = thawedFor(2);
  cold.chunk(1).restore = 'ongoing-request="true"';
  cold.chunk(2).restore = thawedFor(-1);

  expect(await verify(cold)).toMatchObject({
    ok: true,
    chunksRead: 2,
    unreadCold: [
      { chunks: 1, state: 'cold' },
      { chunks: 1, state: 'thawing' },
    ],
  });
});

test('a copy that expires while it is verified is counted as well', async () => {
  const cold = await makeColdArchive(['GLACIER', 'STANDARD']);
  const isCold = cold.chunk(0);
  isCold.restore = thawedFor(2);
  const reader = {
    ...cold.store,
    get: (...asked: Parameters<typeof cold.store.get>) => {
      if (asked[0] === cold.chunkKey(0)) isCold.restore = thawedFor(-1);
      return cold.store.get(...asked);
    },
  };

  expect(await verify(cold, { reader })).toMatchObject({
    ok: true,
    errors: [],
    chunksRead: 1,
    unreadCold: [{ chunks: 1 }],
  });
});

test('a sample that meets cold chunks says so', async () => {
  const cold = await makeColdArchive(['GLACIER', 'STANDARD', 'STANDARD']);

  expect(await verify(cold, { sample: 0.1 })).toMatchObject({ ok: true, chunksRead: 0, unreadCold: [{ chunks: 1 }] });
  expect(await verifyAll(cold, { sample: 0.1 })).toMatchObject({
    ok: true,
    chunksRead: 0,
    unreadCold: [{ chunks: 1 }],
  });
});

test('a chunk whose key is denied is named, and all others are read', async () => {
  const cold = await makeColdArchive(['STANDARD', 'STANDARD', 'STANDARD']);
  const { StoreError } = await import('../../../../src/core/store/store-error.js');
  const reader = {
    ...cold.store,
    get: async (...asked: Parameters<typeof cold.store.get>) => {
      if (asked[0] === cold.chunkKey(1))
        throw new StoreError('access-denied', 'access to its KMS key is denied (kms:Decrypt)', { isRefused: true });
      return await cold.store.get(...asked);
    },
  };

  const result = await verify(cold, { reader });

  expect(result).toMatchObject({ ok: false, chunksRead: 2, filesRead: 2 });
  expect(JSON.stringify(result.errors)).toContain('access to its KMS key is denied');
});

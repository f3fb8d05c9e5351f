// What an upload sends goes to other stores as well: for as long as they take it, and never beyond the life of its buffer.
import { expect, test } from 'vitest';
import { AlsoPut } from '../../../../src/core/archive/transfer/also-put.js';
import { ChunkSender } from '../../../../src/core/archive/transfer/send-chunk.js';
import type { PackedChunk } from '../../../../src/core/archive/run/packed-chunk.js';
import type { ChunkRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { FailureWitness } from '../../../../src/core/store/failure-witness.js';
import { openStore } from '../../../../src/core/store/open-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { tempFolder } from '../../../support/temp-folder.js';

const body = Buffer.from('content');
const signal = new AbortController().signal;

test('the first failure ends it, and is told once', async () => {
  const store = fileStore(await tempFolder());
  let puts = 0;
  const failing = {
    ...store,
    put: () => {
      puts++;
      return Promise.reject(new StoreError('store', 'out of order'));
    },
  };
  const told: unknown[] = [];
  const also = new AlsoPut({ store: failing, locks: false, onStopped: (error) => void told.push(error) });

  await also.put({ key: 'uploads/a/1', body });
  await also.put({ key: 'uploads/a/2', body });

  expect([puts, told, also.sent]).toEqual([1, [expect.any(StoreError)], { objects: 0, bytes: 0 }]);
});

test('a chunk that the store of the upload refuses is given up only when the others have let go of its buffer', async () => {
  const store = fileStore(await tempFolder());
  const refusing = { ...store, put: () => Promise.reject(new StoreError('store', 'out of order')) };
  let isHeld = true;
  const put = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isHeld = false;
  };
  const sender = new ChunkSender(
    () => undefined,
    () => Promise.reject(new Error('deletes nothing')),
    1,
    { put },
  );
  const record = { key: 'shard-00/chunk-000000.tar.zst', size: body.length, sha256: 'ab' } as unknown as ChunkRecord;
  const packed = { output: new Uint8Array(body), objects: [] } as unknown as PackedChunk;
  const target = { store: refusing, folder: 'uploads/a/', kmsKeyId: undefined, retention: undefined, retries: () => 0 };

  await expect(sender.send(target, record, packed, { signal, onSent: () => undefined })).rejects.toThrow(
    'out of order',
  );

  expect(isHeld).toBe(false);
});

test('failures of a store are told from others, also where another error has them for its cause', async () => {
  const witness = new FailureWitness();
  const opened = await witness.opened(() => openStore('file:///dev/null/nothing', { env: {} }));

  const failure: unknown = await opened.store.put('key', body).catch((error: unknown) => error);

  const caused = new ArchiverError('store', 'not uploaded', { cause: failure });
  expect([witness.isOfStore(failure), witness.isOfStore(caused)]).toEqual([true, true]);
  expect(witness.isOfStore(new StoreError('store', 'of another'))).toBe(false);
});

// How an upload comes true, and what is left when it does not: rules.md#order, rules.md#lost-answers and rules.md#rivals against
// a store that breaks.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeVersionRecord, recordKey } from '../../../../src/core/dataset/records/version-record.js';
import { cancelledError } from '../../../../src/core/platform/failures/errors.js';
import type { VersionRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import type { ObjectStore, PutOptions } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { filesBelow } from '../../../e2e/upload-cli.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { failingAfter, restored } from '../resume/interrupted.js';
import { noise } from '../trees.js';
import { type Access, accessDenied, FOLDER, preconditionFailed, uploadFolder, withAccess } from '../upload-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

async function withSource() {
  const home = await tempFolder();
  const source = await tempFolder();
  writeFileSync(join(source, 'one'), noise(300_000));
  writeFileSync(join(source, 'two'), noise(300_000));
  return { source, base: join(home, 'store') };
}

const MANIFEST = `${FOLDER}/manifest.json.gz`;
const isChunk = (key: string): boolean => key.includes('/chunk-');
const isRecord = (key: string): boolean => key.startsWith('datasets/');
const KINDS = { chunk: isChunk, manifest: (key: string) => key === MANIFEST, record: isRecord };
const md5File = (base: string) => (key: string) =>
  createHash('md5')
    .update(readFileSync(join(base, key)))
    .digest('hex');

/** The store with another `put`. */
const withPut = (
  store: ObjectStore,
  put: (key: string, body: Uint8Array, options?: PutOptions) => ReturnType<ObjectStore['put']>,
): ObjectStore => ({ ...store, put });

describe('the order of an upload', () => {
  test('is chunks, a listing of the own folder, the manifest, a look at it, the record', async () => {
    const { source, base } = await withSource();

    const run = uploadFolder(source, base);
    await run.result;

    const kinds = run.calls
      .filter((call) => !call.startsWith('list datasets/'))
      .map((call) => (isChunk(call) ? 'chunk' : call));
    expect([...new Set(kinds)]).toEqual([
      'chunk',
      `list ${FOLDER}/`,
      `put ${MANIFEST}`,
      `list ${MANIFEST}`,
      expect.stringMatching(/^put datasets\/.*\/v00000001.json$/),
    ]);
  });

  test('every object asks not to overwrite, and only chunks carry the storage class', async () => {
    const { source, base } = await withSource();
    const seen: [string, PutOptions | undefined][] = [];

    await uploadFolder(source, base, {
      storageClass: 'GLACIER_IR',
      wrap: (store) =>
        withPut(store, (key, body, options) => {
          seen.push([key, options]);
          return store.put(key, body, { ifAbsent: true });
        }),
    }).result;

    expect(seen.every(([, options]) => options?.ifAbsent === true)).toBe(true);
    for (const [key, options] of seen) expect(options?.storageClass).toBe(isChunk(key) ? 'GLACIER_IR' : undefined);
  });

  test('the record names the manifest by its digest, and has a digest of its own', async () => {
    const { source, base } = await withSource();

    const { datasetId } = await uploadFolder(source, base, { writerId: 'w1' }).result;

    const text = readFileSync(join(base, recordKey({ datasetId: datasetId, version: 1 })), 'utf8');
    const { digest, ...record } = JSON.parse(text) as VersionRecord;
    expect(createHash('sha256').update(JSON.stringify(record)).digest('hex')).toBe(digest);
    expect(record.manifestSha256).toBe(
      createHash('sha256')
        .update(readFileSync(join(base, MANIFEST)))
        .digest('hex'),
    );
    expect(Object.keys(record)).toEqual(
      'format type requires datasetId version uploadId manifestKey manifestSha256 createdAt listing previous source totals writerId uploader commit digestAlgorithm'.split(
        ' ',
      ),
    );
    expect(record).toMatchObject({ version: 1, previous: null, writerId: 'w1', manifestKey: MANIFEST });
  });
});

describe('a lost answer', () => {
  const accesses: readonly Access[] = ['may read', 'may only list', 'may neither read nor list'];
  const cases = accesses.flatMap((access) =>
    (['chunk', 'manifest', 'record'] as const).map((kind) => [kind, access] as const),
  );

  test.each(cases)('of the %s is recognised as our own by a writer that %s', async (kind, access) => {
    const { source, base } = await withSource();
    let lost = 0;

    const run = uploadFolder(source, base, {
      writerId: 'w1',
      wrap: (store) =>
        withAccess(
          withPut(store, async (key, body, options) => {
            const result = await store.put(key, body, options);
            if (!KINDS[kind](key) || lost++ > 0) return result;
            throw preconditionFailed(true);
          }),
          access,
          md5File(base),
        ),
    });

    // Whoever can look at nothing cannot tell its own record from an older one: it takes another ordinal.
    const versions = kind === 'record' && access === 'may neither read nor list' ? 2 : 1;
    expect(await run.result).toMatchObject({ version: versions, files: 2 });
    expect(filesBelow(join(base, 'datasets'))).toHaveLength(versions);
  });

  test('of the record is recognised by its ETag where no writer prefix makes the key ours', async () => {
    const { source, base } = await withSource();
    let lost = 0;

    const run = uploadFolder(source, base, {
      wrap: (store) =>
        withAccess(
          withPut(store, async (key, body, options) => {
            const result = await store.put(key, body, options);
            if (!isRecord(key) || lost++ > 0) return result;
            throw preconditionFailed(true);
          }),
          'may only list',
          md5File(base),
        ),
    });

    expect(await run.result).toMatchObject({ version: 1 });
  });
});

describe('rivals', () => {
  // Of the same length as ours will be, as records of one dataset nearly always are.
  const rivalRecord = (ours: Uint8Array): Buffer => {
    const { digest: _digest, ...record } = JSON.parse(Buffer.from(ours).toString()) as VersionRecord;
    return encodeVersionRecord({ ...record, uploadId: asUploadId('20260304-050607-ffffffff') });
  };

  test.each<Access>(['may read', 'may only list', 'may neither read nor list'])(
    'one that takes the ordinal first only costs the next one to a writer that %s',
    async (access) => {
      const { source, base } = await withSource();
      let rivals = 0;

      const run = uploadFolder(source, base, {
        wrap: (store) =>
          withAccess(
            withPut(store, async (key, body, options) => {
              if (isRecord(key) && rivals++ < 2) {
                await store.put(key, rivalRecord(body), { ifAbsent: true });
                throw preconditionFailed(true);
              }
              return store.put(key, body, options);
            }),
            access,
            md5File(base),
          ),
      });

      expect(await run.result).toMatchObject({ version: 3 });
      expect(filesBelow(join(base, 'datasets')).map((file) => file.slice(-13))).toEqual([
        '00000001.json',
        '00000002.json',
        '00000003.json',
      ]);
    },
  );

  test('versions already there are counted on, also beyond eight digits', async () => {
    const { source, base } = await withSource();
    const { datasetId } = await uploadFolder(source, base).result;
    writeFileSync(join(base, `datasets/${datasetId}/v100000000.json`), '{}');
    writeFileSync(join(base, `datasets/${datasetId}/v00000007.json.bak`), '{}');

    const second = uploadFolder(source, base, { randomBytes: () => Buffer.from('aabbccdd', 'hex') });

    expect(await second.result).toMatchObject({ version: 100_000_001 });
    const record = JSON.parse(
      readFileSync(join(base, recordKey({ datasetId: datasetId, version: 100_000_001 })), 'utf8'),
    ) as VersionRecord;
    expect(record.previous).toBe(100_000_000);
  });

  test('a manifest of somebody else under our upload id is not taken for ours: the version is under another', async () => {
    const { source, base } = await withSource();

    const run = uploadFolder(source, base, {
      wrap: (store) =>
        withPut(store, async (key, body, options) => {
          if (key === MANIFEST) await store.put(key, Buffer.alloc(body.length), { ifAbsent: true });
          return store.put(key, body, options);
        }),
    });

    const { uploadId, version } = await run.result;

    expect([uploadId, version]).toEqual(['20260304-050607-01020305', 1]);
    expect(readFileSync(join(base, MANIFEST)).every((byte) => byte === 0)).toBe(true);
  });
});

describe('what the store only said', () => {
  test.each([
    ['absent', undefined, 'is not there'],
    ['short', 1000, 'has 1000 bytes'],
  ])('a chunk that was acknowledged and is %s is sent again under another id', async (_name, bytes, words) => {
    const { source, base } = await withSource();
    let first = true;

    const run = uploadFolder(source, base, {
      wrap: (store) =>
        withPut(store, (key, body, options) => {
          if (!first || !isChunk(key)) return store.put(key, body, options);
          first = false;
          return bytes === undefined
            ? Promise.resolve({ etag: 'said' })
            : store.put(key, body.subarray(0, bytes), { ifAbsent: true });
        }),
    });

    const { uploadId, version } = await run.result;

    expect([uploadId, version]).toEqual(['20260304-050607-01020305', 1]);
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringContaining(words) });
    expect(run.calls).not.toContain(`put ${MANIFEST}`);
    expect(await restored(base, uploadId)).toMatchObject({ one: expect.anything(), two: expect.anything() });
  });

  test('a writer without permission to list uploads all the same and says that nothing was counted', async () => {
    const { source, base } = await withSource();

    const run = uploadFolder(source, base, {
      wrap: (store) => withAccess(store, 'may neither read nor list', md5File(base)),
    });

    expect(await run.result).toMatchObject({ version: 1 });
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringContaining('has no permission to list') });
  });
});

describe('a failure', () => {
  const broken = () => new StoreError('store', 'the server is on fire');

  test('of a chunk takes the others back, and nothing is visible', async () => {
    const { source, base } = await withSource();
    let chunks = 0;

    const run = uploadFolder(source, base, {
      wrap: (store) =>
        withPut(store, (key, body, options) =>
          isChunk(key) && ++chunks === 2 ? Promise.reject(broken()) : store.put(key, body, options),
        ),
    });

    await expect(run.result).rejects.toThrow('on fire');
    expect(filesBelow(base)).toEqual([]);
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringContaining('nothing was committed') });
  });

  test.each(['access-denied', 'store'] as const)(
    'of the manifest (%s) is a failed upload without a version, and nothing is deleted any more',
    async (code) => {
      const { source, base } = await withSource();

      const run = uploadFolder(source, base, {
        wrap: (store) =>
          withPut(store, (key, body, options) =>
            key === MANIFEST ? Promise.reject(new StoreError(code, 'no manifest')) : store.put(key, body, options),
          ),
      });

      await expect(run.result).rejects.toThrow('no manifest');
      expect(run.calls.filter((call) => call.startsWith('delete') || isRecord(call.slice(4)))).toEqual([]);
      expect(existsSync(join(base, MANIFEST))).toBe(false);
      expect(filesBelow(base).every(isChunk)).toBe(true);
    },
  );

  test('of the record is a failed upload, and what the manifest names stays', async () => {
    const { source, base } = await withSource();

    const run = uploadFolder(source, base, {
      wrap: (store) =>
        withPut(store, (key, body, options) =>
          isRecord(key) ? Promise.reject(broken()) : store.put(key, body, options),
        ),
    });

    await expect(run.result).rejects.toThrow('on fire');
    expect(run.calls.some((call) => call.startsWith('delete'))).toBe(false);
    expect(filesBelow(base)).toContain(MANIFEST);
  });

  test('of a writer that may not delete names what is left', async () => {
    const { source, base } = await withSource();

    const run = uploadFolder(source, base, {
      wrap: (store) => ({
        ...failingAfter(1)(store),
        delete: () => Promise.reject(accessDenied('s3:DeleteObject')),
      }),
    });

    await expect(run.result).rejects.toThrow('the wire was cut');
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringContaining('may not delete') });
  });
});

describe('Ctrl+C', () => {
  const interruptedAt = async (at: (key: string) => boolean) => {
    const { source, base } = await withSource();
    const controller = new AbortController();
    const run = uploadFolder(source, base, {
      signal: controller.signal,
      wrap: (store) =>
        withPut(store, async (key, body, options) => {
          const result = await store.put(key, body, options);
          if (at(key)) controller.abort(cancelledError());
          return result;
        }),
    });
    await expect(run.result).rejects.toMatchObject({ code: 'cancelled' });
    return { base, run };
  };

  test('while chunks are sent takes them back', async () => {
    const { base } = await interruptedAt(isChunk);

    expect(filesBelow(base)).toEqual([]);
  });

  test('after the last chunk and before the manifest takes the chunks back', async () => {
    const { source, base } = await withSource();
    const controller = new AbortController();

    const run = uploadFolder(source, base, {
      signal: controller.signal,
      wrap: (store) => ({
        ...store,
        list: async function* (options) {
          for await (const page of store.list({ prefix: options?.prefix ?? '' })) yield page;
          if (options?.prefix === `${FOLDER}/`) controller.abort(cancelledError());
        },
      }),
    });

    await expect(run.result).rejects.toMatchObject({ code: 'cancelled' });
    expect(filesBelow(base)).toEqual([]);
  });

  test('after the manifest deletes nothing', async () => {
    const { base, run } = await interruptedAt((key) => key === MANIFEST);

    expect(run.calls.some((call) => call.startsWith('delete'))).toBe(false);
    expect(filesBelow(base)).toContain(MANIFEST);
  });

  test('while the source is scanned writes nothing', async () => {
    const { source, base } = await withSource();
    const controller = new AbortController();
    controller.abort(cancelledError());

    const run = uploadFolder(source, base, { signal: controller.signal });

    await expect(run.result).rejects.toMatchObject({ code: 'cancelled' });
    expect(run.calls.filter((call) => !call.startsWith('list '))).toEqual([]);
    expect(existsSync(base)).toBe(false);
  });
});

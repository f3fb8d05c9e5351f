import { describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import {
  listDatasets,
  listVersions,
  readVersion,
  readVersions,
} from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { Json } from '../../../support/make-archive.js';
import { DATASET, makeDataset, recordBytes, recordKey, writeObjects } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { tempFolder } from '../../../support/temp-folder.js';

const made = makeDataset([{ files: [{ path: 'a', content: 'a' }] }, { files: [{ path: 'b', content: 'b' }] }]);
const { digest: _digest, ...document } = JSON.parse((made.objects.get(recordKey(2)) ?? '').toString()) as Json;

/** A reader in which version 2 is this. */
const bent = (bytes: Buffer | string) => memoryReader(new Map([...made.objects, [recordKey(2), Buffer.from(bytes)]]));
const changed = (change: Json) => bent(recordBytes({ ...document, ...change }));

describe('listing', () => {
  test('takes records alone, in the order of their ordinals', async () => {
    const folder = await tempFolder();
    const names = ['v00000002', 'v00000010', 'v100000000', 'v99999999'];
    const foreign = ['v00000003.json.bak', 'v000000004.json', 'v7.json', 'prune-01020304.json', 'sub/v00000005.json'];
    const keys = [...names.map((name) => `${name}.json`), ...foreign].map((name) => `datasets/d-1/${name}`);
    const strange = ['f/v1.json', 'f/a/v00000001.json', 'g/tags/v00000001.a.json', 'note.txt'].map(
      (name) => `datasets/${name}`,
    );
    await writeObjects(
      folder,
      new Map([...keys, 'datasets/e-1/v00000001.json', ...strange].map((key) => [key, Buffer.from('{}')])),
    );
    const store = fileStore(folder);

    expect((await listVersions(store, 'd-1')).map(({ version }) => version)).toEqual([2, 10, 99_999_999, 100_000_000]);
    expect(await listVersions(store, 'd')).toEqual([]);
    const { versions, ordinals, strays } = await listDatasets(store);
    const counts = [
      ['d-1', 4],
      ['e-1', 1],
    ];
    expect([...versions].map(([id, its]) => [id, its.length])).toEqual(counts);
    expect([...ordinals].map(([id, its]) => [id, its.length])).toEqual(counts);
    expect(strays).toEqual(['f/', 'g/', 'note.txt']);
  });

  test('tells size and time', async () => {
    const folder = await tempFolder();
    await writeObjects(folder, made.objects);

    const [first] = await listVersions(fileStore(folder), DATASET);

    // `writeObjects` dates each record as its writer does.
    const written = JSON.parse(String(made.objects.get(recordKey(1)))) as { createdAt: string };
    expect(first).toMatchObject({
      version: 1,
      key: recordKey(1),
      sizeBytes: made.objects.get(recordKey(1))?.length,
      lastModified: new Date(written.createdAt),
    });
  });

  test('is never empty because it failed', async () => {
    const failing = memoryReader(made.objects, {
      list: () => {
        throw new ArchiverError('access-denied', 's3:ListBucket is not allowed');
      },
    });

    await expect(listVersions(failing, DATASET)).rejects.toThrow('s3:ListBucket');
    await expect(listDatasets(failing)).rejects.toThrow('s3:ListBucket');
  });
});

describe('readVersion', () => {
  test('gives the record', async () => {
    expect(await readVersion(memoryReader(made.objects), { datasetId: DATASET, version: 2 })).toMatchObject({
      version: 2,
      uploadId: made.uploadIds[1],
      listing: 'delta',
      previous: 1,
      source: { path: '/made', host: 'test' },
      totals: { files: 2 },
    });
  });

  test('takes a path that is not UTF-8, two digests, a writer, and keys that it does not know', async () => {
    const source = { pathBase64: Buffer.from('/m\u00e4', 'latin1').toString('base64'), host: 'h' };
    const extra = { source, writerId: 'w1', replacementSha256: 'ab'.repeat(32), novelty: [1] };

    const { novelty: _novelty, ...expected } = extra;
    expect(await readVersion(changed(extra), { datasetId: DATASET, version: 2 })).toMatchObject(expected);
  });

  test('a missing one is named', async () => {
    await expect(readVersion(memoryReader(made.objects), { datasetId: DATASET, version: 7 })).rejects.toMatchObject({
      code: 'not-found',
      message: 'dataset made-00000000 has no version 7 under memory:',
    });
  });

  test.each<[string, ReturnType<typeof bent>, string, RegExp]>([
    ['cut off', bent('{"format":1'), 'integrity', /v00000002.json is not valid JSON/],
    [
      'too large',
      bent(Buffer.alloc(300_000, 32)),
      'integrity',
      /v00000002.json cannot be read: the object has 300000 bytes/,
    ],
    ['deeply nested', bent('['.repeat(50)), 'integrity', /nests more than/],
    ['something else', bent('[]'), 'integrity', /is not an object/],
    ['a foreign type', changed({ type: 'other' }), 'integrity', /was not written by archiver/],
    ['a newer format', changed({ format: 2 }), 'unsupported', /has format 2, and this archiver reads 1/],
    [
      'something that a reader must know',
      changed({ requires: ['parity'] }),
      'unsupported',
      /v00000002.json needs a newer archiver: it uses 'parity'$/,
    ],
    [
      'a digest of another kind',
      changed({ digestAlgorithm: 'blake3' }),
      'unsupported',
      /v00000002.json has a digest by 'blake3', and this archiver knows sha256$/,
    ],
    ['another dataset', changed({ datasetId: 'other' }), 'integrity', /belongs to another dataset \(other\)/],
    ['another version', changed({ version: 3 }), 'integrity', /belongs to another version \(3\)/],
    [
      'an upload id that leads elsewhere',
      changed({ uploadId: '../x' }),
      'integrity',
      /'uploadId' of .* is not an upload id/,
    ],
    ['a manifest elsewhere', changed({ manifestKey: 'x/manifest.json.gz' }), 'integrity', /'manifestKey'/],
    ['a digest that is none', changed({ manifestSha256: 'x' }), 'integrity', /'manifestSha256'/],
    ['an impossible time', changed({ createdAt: '2026-13-01T00:00:00Z' }), 'integrity', /'createdAt'/],
    ['an unknown listing', changed({ listing: 'half' }), 'integrity', /'listing'/],
    [
      'negative counts',
      changed({ totals: { ...(document['totals'] as Json), files: -1 } }),
      'integrity',
      /'files' of 'totals'/,
    ],
    ['no digest', bent(JSON.stringify(document)), 'integrity', /is damaged: its content does not match the digest/],
    [
      'one changed byte',
      bent((made.objects.get(recordKey(2)) ?? Buffer.alloc(0)).toString().replace('"test"', '"tent"')),
      'integrity',
      /is damaged/,
    ],
  ])('%s is one named error', async (_what, reader, code, message) => {
    await expect(readVersion(reader, { datasetId: DATASET, version: 2 })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe('readVersions', () => {
  test('reads all, sixteen at a time, in the order asked for', async () => {
    const objects = new Map<string, Buffer>();
    for (let version = 1; version <= 40; version++)
      objects.set(recordKey(version), recordBytes({ ...document, version, previous: version - 1 }));
    let [now, most] = [0, 0];
    const plain = memoryReader(objects);
    const reader: typeof plain = {
      ...plain,
      get: async (key, options) => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setTimeout(resolve, 2));
        now--;
        return await plain.get(key, options);
      },
    };

    const read = await readVersions(reader, (await listVersions(reader, DATASET)).toReversed());

    expect(read.map((found) => ('record' in found ? found.record.version : 0))).toEqual(
      Array.from({ length: 40 }, (_, index) => 40 - index),
    );
    expect(most).toBe(16);
  });

  test('a damaged one is a problem beside the others; one that has gone is left out', async () => {
    const listed = await listVersions(memoryReader(made.objects), DATASET);
    const reader = memoryReader(new Map([[recordKey(2), Buffer.from('{}')]]));

    const read = await readVersions(reader, listed);

    expect(read).toMatchObject([{ listed: { version: 2 }, problem: { code: 'integrity' } }]);
  });

  test('what the store refuses ends it', async () => {
    const listed = await listVersions(memoryReader(made.objects), DATASET);
    const denied = memoryReader(made.objects, {
      get: () => {
        throw new ArchiverError('access-denied', 's3:GetObject is not allowed');
      },
    });

    await expect(readVersions(denied, listed)).rejects.toThrow('s3:GetObject');
  });
});

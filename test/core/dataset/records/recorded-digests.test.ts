// Which record names an upload, and how many requests it takes to find it.
import { expect, test } from 'vitest';
import { recordOfManifest } from '../../../../src/core/dataset/records/recorded-digests.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import type { ObjectReader } from '../../../../src/core/store/object-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { DATASET, makeDataset, recordBytes, recordDocument, recordKey } from '../../../support/make-dataset.js';
import { type MemoryReader, memoryReader } from '../../../support/memory-reader.js';

const made = makeDataset([{ files: [] }]);
const [manifest = {}] = made.manifests;
const VERSIONS = 100;
const signal = new AbortController().signal;

const momentOf = (version: number): Date => new Date(Date.UTC(2026, 0, 1, version));
const idOf = (version: number): UploadId => {
  const digits = momentOf(version).toISOString().replace(/[-:T]/g, '');
  return asUploadId(`${digits.slice(0, 8)}-${digits.slice(8, 14)}-${String(version).padStart(8, '0')}`);
};

/** A record an hour, put a minute after its upload began. */
function store(keyOf: (version: number) => string, datasetId = DATASET): MemoryReader {
  const objects = new Map<string, Buffer>();
  const putAt = new Map<string, Date>();
  for (let version = 1; version <= VERSIONS; version++) {
    const createdAt = momentOf(version).toISOString();
    const spec = { version, uploadId: idOf(version), manifest, manifestBytes: Buffer.of(), datasetId, createdAt };
    objects.set(keyOf(version), recordBytes(recordDocument(spec)));
    putAt.set(keyOf(version), new Date(momentOf(version).getTime() + 60_000));
  }
  const reader = memoryReader(objects);
  async function* list(options: Parameters<ObjectReader['list']>[0]): ReturnType<ObjectReader['list']> {
    for await (const page of reader.list(options)) {
      const objects = page.objects.map((one) => ({ ...one, lastModified: putAt.get(one.key) ?? one.lastModified }));
      yield { ...page, objects };
    }
  }
  return { ...reader, list };
}

const find = (reader: ObjectReader, uploadId: UploadId, isThorough = false, datasetId = DATASET) =>
  recordOfManifest(reader, datasetId, { uploadId, isThorough, signal });

test.each([
  ['by when it was put', recordKey],
  ['by its key', (version: number) => recordKey(version).replace('.json', `.${idOf(version)}.json`)],
])('a record is found %s, with one GET', async (_, keyOf) => {
  const reader = store(keyOf);

  expect(await find(reader, idOf(60))).toMatchObject({ version: 60, uploadId: idOf(60) });
  expect(reader.requests).toMatchObject({ list: 1, get: 1 });
});

test('a record of another dataset than the manifest names is found', async () => {
  const reader = store((version) => recordKey(version, 'other-00000000'), 'other-00000000');

  expect(await find(reader, idOf(60))).toMatchObject({ version: 60, datasetId: 'other-00000000' });
  expect(reader.requests).toMatchObject({ list: 2, get: 1 });
});

test('that there is none is found with few requests by a reader, and by reading all by a verification', async () => {
  const uploadId = asUploadId('20260103-100000-ffffffff');
  const few = store(recordKey);
  const all = store(recordKey);

  expect([await find(few, uploadId), await find(all, uploadId, true)]).toEqual([undefined, undefined]);
  expect(few.requests.get).toBeLessThan(24);
  expect(all.requests.get).toBeGreaterThanOrEqual(VERSIONS);
});

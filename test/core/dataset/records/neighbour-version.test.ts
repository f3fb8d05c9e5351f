import { describe, expect, test } from 'vitest';
import { FileHistories } from '../../../../src/core/dataset/chain/file-history.js';
import {
  type Neighbour,
  neighbourVersion,
  NoSuchVersion,
} from '../../../../src/core/dataset/records/neighbour-version.js';
import { loadListing } from '../../../../src/core/restore/listing/load-listing.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectReader } from '../../../../src/core/store/object-store.js';
import { changesSince } from '../../../../src/stores/browse/version-actions.js';
import { openedListing } from '../../../support/browse-listing.js';
import { DATASET, makeDataset, recordKey, writeObjects } from '../../../support/make-dataset.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { raw } from '../../../support/raw.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const signal = new AbortController().signal;

/** Three versions: b changes and c comes, then a goes. */
async function threeVersions(
  without: readonly string[] = [],
): Promise<{ readonly reader: ObjectReader; readonly uploadIds: readonly string[] }> {
  const { objects, uploadIds } = makeDataset([
    {
      files: [
        { path: 'a', content: '1' },
        { path: 'b', content: '2' },
      ],
    },
    {
      files: [
        { path: 'b', content: 'two' },
        { path: 'c', content: '3' },
      ],
    },
    { files: [], deleted: ['a'] },
  ]);
  for (const key of without) objects.delete(key);
  const folder = await tempFolder();
  await writeObjects(folder, objects);
  return { reader: fileStore(folder), uploadIds };
}

const step = (
  reader: ObjectReader,
  from: { readonly uploadId?: string; readonly version?: number },
  direction: -1 | 1,
): Promise<Neighbour> =>
  neighbourVersion(
    reader,
    {
      datasetId: DATASET,
      uploadId: asUploadId(from.uploadId ?? 'none'),
      version: from.version === undefined ? undefined : { version: from.version },
    },
    direction,
    signal,
  );

describe('stepping from version to version', () => {
  test('finds the version of an upload that was named by its URL, and goes both ways from it', async () => {
    const { reader, uploadIds } = await threeVersions();

    const before = await step(reader, { uploadId: uploadIds[2] ?? '' }, -1);
    expect([before.record.version, before.isHead]).toEqual([2, false]);

    const after = await step(reader, before.record, 1);
    expect([after.record.version, after.isHead]).toEqual([3, true]);
  });

  test('steps over versions that are gone, also when the one it stands on is gone', async () => {
    const { reader } = await threeVersions([recordKey(2)]);

    expect((await step(reader, { version: 3 }, -1)).record.version).toBe(1);
    expect((await step(reader, { version: 2 }, -1)).record.version).toBe(1);
    expect((await step(reader, { version: 2 }, 1)).record.version).toBe(3);
  });

  test('says where it ends, and when an upload is no version', async () => {
    const { reader, uploadIds } = await threeVersions([recordKey(3)]);

    await expect(step(reader, { version: 1 }, -1)).rejects.toThrow('v1 is the oldest version');
    await expect(step(reader, { version: 2 }, 1)).rejects.toThrow('v2 is the newest version');
    await expect(step(reader, { version: 2 }, 1)).rejects.toBeInstanceOf(NoSuchVersion);
    await expect(step(reader, { uploadId: uploadIds[2] ?? '' }, -1)).rejects.toThrow('is not a version of a dataset');
  });
});

test('what changed between two listings is what is added, modified and deleted', async () => {
  const { reader, uploadIds } = await threeVersions();
  const [first, second, third] = await Promise.all(
    uploadIds.map(async (uploadId) => openedListing(await loadListing(reader, { uploadId: asUploadId(uploadId) }))),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error('three versions');

  expect(await changesSince(first, second, signal)).toMatchObject({
    files: [
      { kind: 'modified', before: 1, after: 1 },
      { kind: 'added', before: undefined, after: 2 },
    ],
    counts: { added: 1, modified: 1, metadata: 0, deleted: 0 },
  });
  expect(await changesSince(second, third, signal)).toMatchObject({
    files: [{ kind: 'deleted', before: 0, after: undefined }],
    counts: { added: 0, modified: 0, metadata: 0, deleted: 1 },
  });
  const gone = AbortSignal.abort();
  await expect(changesSince(first, second, gone)).rejects.toThrow('aborted');
});

test('a file is looked up in every version, each manifest read once', async () => {
  const { reader, uploadIds } = await threeVersions();
  const gets: string[] = [];
  const counting: ObjectReader = Object.assign(Object.create(reader) as ObjectReader, {
    get: (key: string, ...rest: []) => {
      gets.push(key);
      return reader.get(key, ...rest);
    },
  });
  const listing = await loadListing(reader, { uploadId: asUploadId(uploadIds[2] ?? '') });
  const histories = new FileHistories(counting, DATASET);
  const of = (path: string): ReturnType<FileHistories['of']> =>
    histories.of(listing.entry(listing.find(raw(path)) ?? 0), signal);

  expect(await of('b')).toEqual({
    kind: 'known',
    versions: [
      { version: 3, content: 'same', sizeBytes: 3 },
      { version: 2, content: 'same', sizeBytes: 3 },
      { version: 1, content: 'other', sizeBytes: 1 },
    ],
  });
  const read = gets.length;
  expect(await of('c')).toMatchObject({ versions: [{ content: 'same' }, { content: 'same' }, { content: 'none' }] });
  expect(gets.length).toBe(read);
});

import { describe, expect, test } from 'vitest';
import { changesSince, stepVersion } from '../../../src/commands/browse/step-version.js';
import { loadListing } from '../../../src/core/listing/load-listing.js';
import type { ObjectReader } from '../../../src/core/object-store/object-store.js';
import { fileStore } from '../../../src/core/object-store/file/file-store.js';
import { CHANGE, type OpenedListing } from '../../../src/stores/browse/browse-state.js';
import { DATASET, makeDataset, recordKey, writeObjects } from '../../support/make-dataset.js';
import { tempFolder } from '../../support/temp-folder.js';

const signal = new AbortController().signal;

/** Three versions: b changes and c comes, then a goes. */
async function threeVersions(without: readonly string[] = []): Promise<{ reader: ObjectReader; open: Opener }> {
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
  const reader = fileStore(folder);
  const open = async (version: number): Promise<OpenedListing> => {
    const uploadId = uploadIds[version - 1] ?? '';
    const { listing } = await loadListing(reader, { uploadId });
    return { listing, baseUrl: reader.url, uploadId, version: undefined };
  };
  return { reader, open };
}
type Opener = (version: number) => Promise<OpenedListing>;

const paths = ({ listing }: OpenedListing): string[] =>
  Array.from({ length: listing.count }, (_, index) => listing.path(index));

describe('stepping from version to version', () => {
  test('finds the version of an upload that was named by its URL, and goes both ways from it', async () => {
    const { reader, open } = await threeVersions();

    const before = await stepVersion(await open(3), -1, reader, signal);
    expect(before.version).toMatchObject({ datasetId: DATASET, version: 2, isHead: false });
    expect(paths(before)).toEqual(['a', 'b', 'c']);

    const after = await stepVersion(before, 1, reader, signal);
    expect(after.version).toMatchObject({ version: 3, isHead: true });
    expect(paths(after)).toEqual(['b', 'c']);
  });

  test('steps over versions that are gone, also when the one it stands on is gone', async () => {
    const { reader, open } = await threeVersions([recordKey(2)]);

    const oldest = await stepVersion(await open(3), -1, reader, signal);
    expect(oldest.version?.version).toBe(1);

    const gone = { ...oldest, version: { datasetId: DATASET, version: 2, isHead: false, manifestSha256: [] } };
    expect((await stepVersion(gone, -1, reader, signal)).version?.version).toBe(1);
    expect((await stepVersion(gone, 1, reader, signal)).version?.version).toBe(3);
  });

  test('says where it ends, and when an upload is no version', async () => {
    const { reader, open } = await threeVersions([recordKey(3)]);
    const first = await open(1);

    await expect(stepVersion(first, -1, reader, signal)).rejects.toThrow('v1 is the oldest version');
    const second = await stepVersion(first, 1, reader, signal);
    await expect(stepVersion(second, 1, reader, signal)).rejects.toThrow('v2 is the newest version');
    await expect(stepVersion(await open(3), -1, reader, signal)).rejects.toThrow('is no version of a dataset');
  });

  test('tells what is added, modified and removed since the version before', async () => {
    const { reader, open } = await threeVersions();
    const third = await stepVersion(await stepVersion(await open(3), -1, reader, signal), 1, reader, signal);
    const second = await stepVersion(third, -1, reader, signal);
    const first = await stepVersion(second, -1, reader, signal);

    expect(await changesSince(second, reader, signal)).toEqual({
      since: 1,
      kinds: Uint8Array.of(CHANGE.none, CHANGE.modified, CHANGE.added),
      added: 1,
      modified: 1,
      removed: 0,
    });
    expect(await changesSince(third, reader, signal)).toMatchObject({ since: 2, added: 0, modified: 0, removed: 1 });
    expect((await changesSince(first, reader, signal)).since).toBeUndefined();
  });
});

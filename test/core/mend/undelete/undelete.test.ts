import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeTombstone } from '../../../../src/core/dataset/records/tombstone.js';
import { readVersion } from '../../../../src/core/dataset/records/versions.js';
import { addTag } from '../../../../src/core/dataset/set-tag.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { plainStore } from '../../../../src/core/store/plain-store.js';
import type { Json } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, DATASET, makeDataset, recordKey, versionContent } from '../../../support/make-dataset.js';
import { DAY, datasetFolder, LINKS, pruneFolder } from '../../dataset/prune/prune-run.js';
import { bringBack, later, listedIn, marksIn, pass, recordAt, signal } from './undelete-run.js';

const made = makeDataset(LINKS);
let folder = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
  await pruneFolder(folder, { keep: { last: 1 }, graceMs: DAY });
});

const content = (version: number): Promise<string[]> => versionContent(fileStore(folder), version);
const prunedAgain = (last = 1) => pruneFolder(folder, { keep: { last }, graceMs: DAY });

describe('what comes back', () => {
  test('every version under its own number, in any order, with all that it showed', async () => {
    expect(await listedIn(folder)).toEqual([5]);

    for (const version of [3, 1, 4, 2])
      expect(await bringBack(fileStore(folder), version)).toMatchObject({ isPut: true, needs: { problems: [] } });

    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('a version alone, whose chain leads through versions that stay retired, and which lasts when their marks are due', async () => {
    await bringBack(fileStore(folder), 3);
    await pass(folder, 30);
    await prunedAgain(2);

    expect(await listedIn(folder)).toEqual([3, 5]);
    expect(await content(3)).toEqual(before.get(3));
    await expect(bringBack(fileStore(folder), 4)).rejects.toThrow(
      /^version 4 of dataset made-00000000 cannot be brought back: .*is gone|manifest/,
    );
  });

  test('its record says what the manifest says, and when it had been retired', async () => {
    await bringBack(fileStore(folder), 2);

    const { wasRetiredAt, ...record } = await readVersion(fileStore(folder), { datasetId: DATASET, version: 2 });
    const manifest = made.manifests[1] as Json | undefined;
    expect(record).toMatchObject({
      version: 2,
      previous: 1,
      uploadId: linkId(1),
      listing: 'delta',
      createdAt: manifest?.['createdAt'],
      totals: manifest?.['view'],
    });
    expect(Date.now() - Date.parse(wasRetiredAt ?? '')).toBeLessThan(60_000);
  });

  test('nothing but manifests and records is read, and nothing but the record written', async () => {
    const asked: string[] = [];
    const store = fileStore(folder);
    await bringBack(
      {
        ...store,
        get: async (key, options) => {
          asked.push(`get ${key}`);
          return await store.get(key, options);
        },
        put: async (key, body, options) => {
          asked.push(`put ${key}`);
          return await store.put(key, body, options);
        },
      },
      2,
    );

    const keys = asked.filter((key) => !/get .*(\/manifest\.json\.gz|\/sweep-[^/]+|v00000002\.json)$/.test(key));
    expect(keys).toEqual([`put ${recordKey(2)}`]);
  });

  test('one that was retired again, while its first marks are young', async () => {
    await bringBack(fileStore(folder), 2);
    await pass(folder, 20);
    await prunedAgain();
    expect(await listedIn(folder)).toEqual([5]);

    await bringBack(fileStore(folder), 2);

    await pass(folder, 20);
    await prunedAgain(2);
    expect(await content(2)).toEqual(before.get(2));
  });

  test('a tag that it still has counts again, and a new one keeps it', async () => {
    const tags = { now: new Date(), deleter: fileStore(folder), signal };
    await bringBack(fileStore(folder), 2);
    await addTag(fileStore(folder), { datasetId: DATASET, version: 2, tag: 'kept' }, tags);
    await pass(folder, 30);
    await prunedAgain();

    expect(await listedIn(folder)).toEqual([2, 5]);
    expect(await content(2)).toEqual(before.get(2));
  });

  test('a version that is listed is left as it is; one that was brought back is looked at', async () => {
    await bringBack(fileStore(folder), 2);
    const record = await recordAt(folder, 2);

    expect(await bringBack(fileStore(folder), 5)).toMatchObject({ isPut: false, needs: undefined });
    expect(await bringBack(fileStore(folder), 2)).toMatchObject({ isPut: false, needs: { problems: [] } });
    expect(await recordAt(folder, 2)).toBe(record);

    const [chunk = ''] = [...made.objectsOf(2).keys()].filter((key) => key.includes('.tar.zst'));
    await rm(join(folder, chunk));
    await expect(bringBack(fileStore(folder), 2)).rejects.toThrow(/was brought back, and may not be whole: .* is gone/);
  });
});

describe('what is refused, with nothing changed', () => {
  /** What is said; another text where something was changed. */
  const refusal = async (version: number, hours = 0, options = {}): Promise<string> => {
    const tombstone = await recordAt(folder, version);
    const store = later(fileStore(folder), () => hours);
    const said = await bringBack(store, version, options).then(
      () => 'nothing',
      (error: unknown) => (error instanceof Error ? error.message : 'something else'),
    );
    return (await recordAt(folder, version)) === tombstone ? said : `the tombstone is gone: ${said}`;
  };

  test('what a sweep has deleted', async () => {
    await pass(folder, 25);
    await prunedAgain();

    expect(await refusal(2)).toMatch(/^version 2 of dataset made-00000000 cannot be brought back: /);
  });

  test('less than an hour before the marks are due: a dry run shows both sides of it', async () => {
    const at = (hours: number) =>
      bringBack(
        later(fileStore(folder), () => hours),
        2,
        { dryRun: true },
      );

    expect(await at(22.9)).toMatchObject({ isPut: true });
    expect(await refusal(2, 23.1)).toMatch(/a prune marked uploads\/.* so long ago that another may be deleting it/);
    expect(await refusal(2, 1.1, { graceMs: 2 * 3_600_000 })).toMatch(/a prune marked/);
    expect(await listedIn(folder)).toEqual([5]);
  });

  test('one that was retired again after the grace of its first marks', async () => {
    await bringBack(fileStore(folder), 2);
    await pass(folder, 30);
    await prunedAgain();

    expect(await refusal(2)).toMatch(/a prune marked/);
  });

  test('long after, where no mark was ever put, nothing stands against it', async () => {
    for (const key of await marksIn(folder)) await rm(join(folder, key));

    await bringBack(
      later(fileStore(folder), () => 100),
      2,
    );

    expect(await content(2)).toEqual(before.get(2));
  });

  test('a mark that nobody can read stands against all of its folder', async () => {
    for (const key of await marksIn(folder)) await writeFile(join(folder, key), '{}');

    expect(await refusal(2, 30)).toMatch(/a prune marked/);
  });

  test('a lost or shortened object, and the manifest of another', async () => {
    const [chunk = ''] = [...made.objectsOf(1).keys()].filter((key) => key.includes('.tar.zst'));
    await writeFile(join(folder, chunk), 'short');
    expect(await refusal(2)).toMatch(/has 5 bytes instead of/);
    await rm(join(folder, chunk));
    expect(await refusal(2)).toMatch(new RegExp(`${chunk} is gone`));
    await writeFile(join(folder, linkKey(1)), made.objects.get(linkKey(2)) ?? '');
    expect(await refusal(2)).toMatch(/cannot be brought back: .*manifest/);
  });

  test('a manifest that somebody has put since, also where the tombstone names none', async () => {
    const forged = makeDataset([{ files: [{ path: 'forged', content: 'forged' }] }]);
    await writeFile(join(folder, linkKey(0)), forged.objects.get(linkKey(0)) ?? '');
    expect(await refusal(1)).toMatch(/is not the one that was recorded/);

    const retiredAt = new Date().toISOString();
    const old = encodeTombstone({ datasetId: DATASET, version: 1, uploadId: linkId(0), retiredAt });
    await writeFile(join(folder, recordKey(1)), old);
    expect(await refusal(1)).toMatch(/its tombstone does not say which manifest it had/);
  });

  test('a number that no version had', async () => {
    await expect(bringBack(fileStore(folder), 9)).rejects.toThrow('dataset made-00000000 has no version 9 (it has 5)');
  });

  test('on a store that creates no key only once, unless nobody else writes there', async () => {
    await expect(bringBack(plainStore(fileStore(folder), { isExclusive: false }), 2)).rejects.toMatchObject({
      code: 'plain-store',
    });
    expect(await listedIn(folder)).toEqual([5]);

    await bringBack(plainStore(fileStore(folder), { isExclusive: true }), 2);
    expect(await content(2)).toEqual(before.get(2));
  });
});

test('a tombstone that does not name the manifest: the digest may be given', async () => {
  const { manifestSha256 } = JSON.parse(await recordAt(folder, 2)) as { manifestSha256: string };
  const retiredAt = new Date().toISOString();
  const old = encodeTombstone({ datasetId: DATASET, version: 2, uploadId: linkId(1), retiredAt });
  await writeFile(join(folder, recordKey(2)), old);

  await expect(bringBack(fileStore(folder), 2)).rejects.toMatchObject({
    hint: expect.stringContaining(`--version 2 --manifest-sha256 ${manifestSha256}`) as string,
  });
  await bringBack(fileStore(folder), 2, { manifestSha256 });

  expect(await content(2)).toEqual(before.get(2));
});

test('a tombstone has its size, with the digest where there is room for it', () => {
  const of = (datasetId: string): Buffer =>
    encodeTombstone({
      datasetId,
      version: 1e14,
      uploadId: linkId(0),
      retiredAt: '2026-04-01T00:00:00.000Z',
      manifestSha256: 'a'.repeat(64),
    });

  for (const length of [1, 30, 128]) expect(of('d'.repeat(length))).toHaveLength(400);
  expect([of('d'.repeat(30)), of('d'.repeat(128))].map((one) => one.includes('manifestSha256'))).toEqual([true, false]);
});

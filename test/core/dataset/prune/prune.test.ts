import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/object-store/file-store.js';
import { makeArchive, manifestText, type Json } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import {
  allContent,
  allKeys,
  DATASET,
  makeDataset,
  recordBytes,
  recordDocument,
  recordKey,
  versionContent,
  writeObjects,
} from '../../../support/make-dataset.js';
import { copyOf, DAY, datasetFolder, killedBefore, LINKS, pruneFolder, stepsOf } from './prune-run.js';

let folder = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  folder = await datasetFolder();
  before = await allContent(fileStore(folder));
});

const keys = (at = folder): Promise<string[]> => allKeys(fileStore(at));
const keptOf = (versions: readonly number[]) => new Map(versions.map((version) => [version, before.get(version)]));
const TRACES = /\.bak$|\.compact$|prune-/;

/** Writes the upload of a folder that never became a version. */
async function loose(uploadId: string, ageDays: number, bend?: (manifest: Json) => void): Promise<string[]> {
  const made = makeArchive({ files: [{ path: 'x', content: uploadId }], uploadId, ...(bend ? { bend } : {}) });
  await writeObjects(folder, made.objects);
  const moment = new Date(Date.now() - ageDays * DAY);
  for (const key of made.objects.keys()) await utimes(join(folder, key), moment, moment);
  return [...made.objects.keys()];
}

describe('what goes and what stays', () => {
  test('the newest versions stay as they were, and nothing that only the others needed is left', async () => {
    const { plan, deletedObjects, freedBytes } = await pruneFolder(folder);

    expect(await allContent(fileStore(folder))).toEqual(keptOf([4, 5]));
    expect(plan?.compacted.map(({ record }) => record.version)).toEqual([4]);
    // a.txt of v1 (chunk 0) holds the folder and the link, chunk 1 b.txt and dir/d.txt; c.txt of v1 and a.txt of v2 go.
    expect(await keys()).toEqual([
      recordKey(4),
      recordKey(5),
      `uploads/${linkId(0)}/shard-00/chunk-000000.tar.zst`,
      `uploads/${linkId(0)}/shard-01/chunk-000001.tar.zst`,
      ...['00/chunk-000000', '00/chunk-000002', '01/chunk-000001'].map(
        (name) => `uploads/${linkId(2)}/shard-${name}.tar.zst`,
      ),
      linkKey(3),
      `uploads/${linkId(3)}/shard-00/chunk-000000.tar.zst`,
      linkKey(4),
      `uploads/${linkId(4)}/shard-00/chunk-000000.tar.zst`,
    ]);
    expect(deletedObjects).toBe(3 + 3 + 2);
    expect(freedBytes).toBeGreaterThan(1000);
  });

  test('the compacted manifest is a full listing that stands in for the delta', async () => {
    await pruneFolder(folder);

    const manifest = JSON.parse(gunzipSync(await readFile(join(folder, linkKey(3)))).toString()) as Json;
    const record = JSON.parse(await readFile(join(folder, recordKey(4)), 'utf8')) as Json;
    expect(manifest).toMatchObject({ listing: 'full', uploadId: linkId(3) });
    expect(manifest['replaces']).toHaveLength(1);
    expect([manifest['previous'], manifest['chain'], manifest['view']]).toEqual([undefined, undefined, undefined]);
    expect(record).toMatchObject({ listing: 'full', version: 4, previous: 3, totals: manifest['totals'] });
    expect(record['replacementSha256']).toBeUndefined();
  });

  test.each([[1], [2], [3], [4], [5]])('with the newest %i', async (last) => {
    await pruneFolder(folder, { keep: { last } });

    expect(await allContent(fileStore(folder))).toEqual(keptOf([1, 2, 3, 4, 5].slice(-last)));
    expect((await pruneFolder(folder, { keep: { last } })).deletedObjects).toBeUndefined();
  });

  test('with gaps every kept version whose predecessor goes stands by itself', async () => {
    const made = makeDataset(LINKS, (version) => `202${version < 3 ? 5 : 6}-0${version}-03T00:00:00.000Z`);
    folder = await datasetFolder(made);
    before = await allContent(fileStore(folder));

    const { plan } = await pruneFolder(folder, { keep: { last: 1, yearly: 2 } });

    expect(plan?.compacted.map(({ record }) => record.version)).toEqual([2, 5]);
    expect(await allContent(fileStore(folder))).toEqual(keptOf([2, 5]));
  });

  test('a second prune frees what the versions of the first one still needed, young as it is', async () => {
    await pruneFolder(folder);
    await pruneFolder(folder, { keep: { last: 1 } });

    expect(await allContent(fileStore(folder))).toEqual(keptOf([5]));
    expect((await keys()).filter((key) => key.startsWith(`uploads/${linkId(2)}`))).toEqual([]);
  });

  test('a chunk that a dataset beside it refers to survives', async () => {
    const uploadId = '20260202-000000-0000abcd';
    const shared = `../${linkId(1)}/shard-00/chunk-000000.tar.zst`;
    const own = makeDataset(LINKS).manifests[1] as Json & { chunks: Json[] };
    const made = makeArchive({
      files: [{ path: 'y', content: 'y' }],
      uploadId,
      bend: (manifest) => {
        manifest['datasetId'] = 'sibling-1';
        manifest.chunks.push({ ...own.chunks[0], key: shared });
        Object.assign(manifest.files[0] ?? {}, { chunk: 1 });
      },
    });
    const manifestBytes = made.objects.get(made.manifestKey) ?? Buffer.alloc(0);
    const document = recordDocument({
      version: 1,
      uploadId,
      manifest: made.manifest,
      manifestBytes,
      datasetId: 'sibling-1',
    });
    await writeObjects(folder, made.objects);
    await writeObjects(folder, new Map([[recordKey(1, 'sibling-1'), recordBytes(document)]]));
    const content = await versionContent(fileStore(folder), 1, 'sibling-1');

    await pruneFolder(folder, { keep: { last: 1 } });

    expect(await versionContent(fileStore(folder), 1, 'sibling-1')).toEqual(content);
  });
});

describe('uploads that are no versions', () => {
  const OLD = '20250101-000000-00000001';
  const YOUNG = '20260301-000000-00000002';

  test('old ones go, young ones and those of other datasets stay', async () => {
    const old = await loose(OLD, 8);
    const young = await loose(YOUNG, 6);
    // Three weeks of uploading: only its last chunk is young.
    const long = await loose('20250101-000000-00000005', 21);
    await utimes(join(folder, long.find((key) => key.endsWith('.zst')) ?? ''), new Date(), new Date());
    const foreign = await loose('20250101-000000-00000003', 30, (manifest) => (manifest['datasetId'] = 'other'));
    const unfinished = (await loose('20250101-000000-00000004', 30)).filter((key) => !key.endsWith('.gz'));
    await fileStore(folder).delete([`uploads/20250101-000000-00000004/manifest.json.gz`]);

    const { plan } = await pruneFolder(folder, { keep: { last: 5 } });

    const left = await keys();
    expect(plan?.abandoned.map(({ uploadId }) => uploadId)).toEqual([OLD, '20250101-000000-00000004']);
    for (const key of [...old, ...unfinished]) expect(left).not.toContain(key);
    for (const key of [...young, ...long, ...foreign]) expect(left).toContain(key);
    expect(left.filter((key) => TRACES.test(key))).toEqual([]);
  });

  test('the clock of this computer does not make an upload abandoned', async () => {
    const young = await loose(YOUNG, 1);

    const { planned, plan } = await pruneFolder(folder, { now: new Date(Date.now() + 400 * DAY) });

    expect([planned.abandoned.length, plan?.abandoned.length]).toEqual([1, 0]);
    expect(await keys()).toEqual(expect.arrayContaining(young));
    expect(await allContent(fileStore(folder))).toEqual(keptOf([4, 5]));
  });

  test('what a young one refers to stays', async () => {
    const key = `uploads/${linkId(1)}/shard-00/chunk-000000.tar.zst`;
    const own = makeDataset(LINKS).manifests[1] as Json & { chunks: Json[] };
    await loose(YOUNG, 0, (manifest) => {
      (manifest['chunks'] as Json[]).push({ ...own.chunks[0], key: `../${linkId(1)}/shard-00/chunk-000000.tar.zst` });
    });

    await pruneFolder(folder, { keep: { last: 1 } });

    expect(await keys()).toContain(key);
  });

  test('one that may still be committed and builds on what would go stops the prune', async () => {
    const chain = makeDataset([...LINKS.slice(0, 3), { files: [{ path: 'z', content: 'z' }] }]);
    const rival = gzipSync(manifestText({ ...chain.manifests[3]!, uploadId: YOUNG }));
    await writeObjects(folder, new Map([[`uploads/${YOUNG}/manifest.json.gz`, rival]]));
    const all = await keys();

    await expect(pruneFolder(folder, { keep: { last: 1 } })).rejects.toThrow(
      new RegExp(`upload ${YOUNG} is not a version yet, and builds on upload ${linkId(2)}`),
    );
    expect(await keys()).toEqual(all);
    await pruneFolder(folder, { keep: { last: 3 } });
    expect(await allContent(fileStore(folder))).toEqual(keptOf([3, 4, 5]));
  });
});

describe('a prune that is killed', () => {
  test('goes by compaction, records, manifests, chunks, in this order', async () => {
    const steps = await stepsOf(folder);

    const upload = `uploads/${linkId(3)}/manifest.json.gz`;
    const chunk = (link: number, name: string): string => `delete uploads/${linkId(link)}/shard-${name}.tar.zst`;
    expect(steps.map((step) => step.replace(/prune-[0-9a-f]{8}/, 'prune'))).toEqual([
      `put datasets/${DATASET}/prune.json`,
      `put ${upload}.compact`,
      `put ${recordKey(4)}`,
      `put ${upload}.pre-compact.bak`,
      `put ${upload}`,
      `put ${recordKey(4)}`,
      ...[1, 2, 3].map((version) => `delete ${recordKey(version)}`),
      ...[2, 1, 0].map((link) => `delete ${linkKey(link)}`),
      chunk(0, '00/chunk-000002'),
      chunk(1, '00/chunk-000000'),
      `delete ${upload}.compact`,
      `delete ${upload}.pre-compact.bak`,
      `delete datasets/${DATASET}/prune.json`,
    ]);
  });

  test('leaves every version readable, and the next one finishes', async () => {
    const { length } = await stepsOf(folder);
    const done = await copyOf(folder);
    await pruneFolder(done);

    for (let step = 0; step < length; step++) {
      const copy = await copyOf(folder);
      await expect(pruneFolder(copy, { wrap: (store) => killedBefore(store, step) })).rejects.toThrow('killed');

      const content = await allContent(fileStore(copy));
      expect([step, content.get(4), content.get(5)]).toEqual([step, before.get(4), before.get(5)]);
      for (const [version, lines] of content) expect([step, lines]).toEqual([step, before.get(version)]);
      await pruneFolder(copy);
      expect([step, await allContent(fileStore(copy))]).toEqual([step, keptOf([4, 5])]);
      expect([step, await keys(copy)]).toEqual([step, await keys(done)]);
    }
  });

  test('is also finished by one that keeps more', async () => {
    const { length } = await stepsOf(folder);
    for (let step = 0; step < length; step++) {
      const copy = await copyOf(folder);
      await expect(pruneFolder(copy, { wrap: (store) => killedBefore(store, step) })).rejects.toThrow('killed');

      await pruneFolder(copy, { keep: { last: 5 } });

      for (const [version, lines] of await allContent(fileStore(copy)))
        expect([step, version, lines]).toEqual([step, version, before.get(version)]);
      expect([step, (await keys(copy)).filter((key) => TRACES.test(key))]).toEqual([step, []]);
    }
  });
});

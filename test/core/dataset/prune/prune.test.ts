import { createHash } from 'node:crypto';
import { readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { highestVersion } from '../../../../src/core/dataset/records/version-record.js';
import { readVersion } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { makeArchive, type Json } from '../../../support/make-archive.js';
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
import { copyOf, DAY, datasetFolder, killedBefore, LINKS, plainName, pruneFolder, stepsOf } from './prune-run.js';
import { asUploadId } from '../../../support/as-upload-id.js';

let folder = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  folder = await datasetFolder();
  before = await allContent(fileStore(folder));
});

const keys = (at = folder): Promise<string[]> => allKeys(fileStore(at));
const keptOf = (versions: readonly number[]) => new Map(versions.map((version) => [version, before.get(version)]));
const TRACES = /\.bak$|\.compact-|sweep-/;

/** Writes the upload of a folder that never became a version. */
async function loose(uploadId: string, ageDays: number, bend?: (manifest: Json) => void): Promise<string[]> {
  const made = makeArchive({
    files: [{ path: 'x', content: uploadId }],
    uploadId: asUploadId(uploadId),
    ...(bend ? { bend } : {}),
  });
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
      ...[1, 2, 3].map((version) => recordKey(version)), // tombstones
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
    expect(deletedObjects).toBe(3 + 2 + 2); // manifests, chunks, and what the compaction left beside
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
      uploadId: asUploadId(uploadId),
      bend: (manifest) => {
        manifest['datasetId'] = 'sibling-1';
        manifest.chunks.push({ ...own.chunks[0], key: shared });
        Object.assign(manifest.files[0] ?? {}, { chunk: 1 });
      },
    });
    const manifestBytes = made.objects.get(made.manifestKey) ?? Buffer.alloc(0);
    const document = recordDocument({
      version: 1,
      uploadId: asUploadId(uploadId),
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
    const abandoned = plan?.marked.filter(({ reason }) => reason === 'abandoned');
    expect(abandoned?.map(({ uploadId }) => uploadId)).toEqual([OLD, '20250101-000000-00000004']);
    const chunks = [...old, ...unfinished].filter((key) => key.endsWith('.zst'));
    for (const key of chunks) expect(left).not.toContain(key);
    // What is left of each is its fence.
    expect(left.filter((key) => /\/20250101-000000-0000000[14]\//.test(key))).toEqual([
      `uploads/${OLD}/manifest.json.gz`,
      'uploads/20250101-000000-00000004/manifest.json.gz',
    ]);
    for (const key of [...young, ...long, ...foreign]) expect(left).toContain(key);
    expect(left.filter((key) => TRACES.test(key))).toEqual([]);
  });

  test('the clock of this computer does not make an upload abandoned', async () => {
    const young = await loose(YOUNG, 1);

    const { planned, plan } = await pruneFolder(folder, { now: new Date(Date.now() + 400 * DAY) });

    const abandoned = [planned, plan].map((each) => each?.marked.filter(({ reason }) => reason === 'abandoned').length);
    expect(abandoned).toEqual([1, 0]);
    expect(await keys()).toEqual(expect.arrayContaining(young));
    expect(await allContent(fileStore(folder))).toEqual(keptOf([4, 5]));
  });
});

describe('a prune that is killed', () => {
  test('goes by compaction, notice, tombstones, marks, manifests, chunks, in this order', async () => {
    const steps = await stepsOf(folder);

    const upload = `uploads/${linkId(3)}/manifest.json.gz`;
    const chunk = (link: number, name: string): string => `delete uploads/${linkId(link)}/shard-${name}.tar.zst`;
    const notice = (verb: string): unknown =>
      expect.stringMatching(new RegExp(`^${verb} datasets/[^/]+/prune-[0-9a-f]{8}\\.json$`));
    const claim = (verb: string) => (link: number) => `${verb} ${linkKey(link)}.swept`;
    const mark = (link: number): string => `uploads/${linkId(link)}/sweep.json`;
    const names = steps.map(plainName);
    // What is deleted at once is deleted in any order.
    const ended = [...names.slice(-8, -4).sort(), ...names.slice(-4).sort()];
    expect([...names.slice(0, -8), ...ended]).toEqual([
      `put ${upload}.compact`,
      `put ${upload}.pre-compact.bak`,
      `put ${recordKey(4)}`,
      `put ${upload}`,
      `put ${recordKey(4)}`,
      notice('put'),
      ...[1, 2, 3].map((version) => `put ${recordKey(version)}`),
      notice('delete'),
      ...[0, 1, 2, 3].map((link) => `put ${mark(link)}`),
      ...[2, 1, 0].map((link) => `delete ${linkKey(link)}`),
      chunk(0, '00/chunk-000002'),
      chunk(1, '00/chunk-000000'),
      expect.stringMatching(/^delete .*\.(compact|bak)$/),
      expect.stringMatching(/^delete .*\.(compact|bak)$/),
      ...[0, 1, 2, 3].map(claim('put')),
      ...[0, 1, 2, 3].map((link) => `delete ${mark(link)}`),
      ...[0, 1, 2, 3].map(claim('delete')),
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
      // A notice may stay: for two hours its prune could be alive.
      const rest = (await keys(copy)).filter((key) => !/\/prune-[0-9a-f]{8}\.json$/.test(key));
      expect([step, rest]).toEqual([step, await keys(done)]);
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

describe('what is marked', () => {
  const GRACE = DAY;
  const marks = async (): Promise<string[]> => (await keys()).filter((key) => key.includes('/sweep-'));

  /** As if the marks, and unless told otherwise the tombstones, had been put so long ago. */
  async function age(ms: number, tombstones = [1, 2, 3]): Promise<void> {
    const moment = new Date(Date.now() - ms);
    const records = tombstones.map((version) => recordKey(version));
    for (const key of [...(await marks()), ...records]) await utimes(join(folder, key), moment, moment);
  }

  test('stays for the grace, and is said to', async () => {
    const all = await keys();

    const { plan, deletedObjects } = await pruneFolder(folder, { graceMs: GRACE });

    expect([deletedObjects, await marks()]).toEqual([
      0,
      [0, 1, 2, 3].map((link) => expect.stringContaining(linkId(link))),
    ]);
    expect(await keys()).toEqual(expect.arrayContaining(all));
    expect(plan?.marked.map(({ reason }) => reason)).toEqual(['retired', 'retired', 'retired', 'superseded']);
    const again = await pruneFolder(folder, { graceMs: GRACE });
    expect([again.plan, again.planned.sweep.waiting.objects]).toEqual([undefined, 7]);
    expect(again.planned.sweep.waiting.until?.getTime()).toBeGreaterThan(Date.now() + GRACE - 60_000);
  });

  test('is deleted by a later prune, and only by one', async () => {
    await pruneFolder(folder, { graceMs: GRACE });
    await age(GRACE - 60_000);
    expect((await pruneFolder(folder, { graceMs: GRACE })).plan).toBeUndefined();
    await age(GRACE + 60_000);

    const { deletedObjects } = await pruneFolder(folder, { graceMs: GRACE });

    expect([deletedObjects, await marks()]).toEqual([7, []]);
    expect(await allContent(fileStore(folder))).toEqual(keptOf([4, 5]));
  });

  test('and referred to by the time it is due stays, and so does the mark: a sweep that slept may still have it in hand', async () => {
    await pruneFolder(folder, { graceMs: GRACE });
    const key = `uploads/${linkId(1)}/shard-00/chunk-000000.tar.zst`;
    const own = makeDataset(LINKS).manifests[1] as Json & { chunks: Json[] };
    const uploadId = '20260301-000000-00000002';
    const made = makeArchive({
      files: [{ path: 'y', content: 'y' }],
      uploadId: asUploadId(uploadId),
      bend: (manifest) => {
        manifest['datasetId'] = DATASET;
        manifest.chunks.push({ ...own.chunks[0], key: `../${linkId(1)}/shard-00/chunk-000000.tar.zst` });
      },
    });
    const manifestBytes = made.objects.get(made.manifestKey) ?? Buffer.alloc(0);
    const document = recordDocument({
      version: 6,
      uploadId: asUploadId(uploadId),
      manifest: made.manifest,
      manifestBytes,
    });
    await writeObjects(folder, new Map([...made.objects, [recordKey(6), recordBytes(document)]]));
    await age(2 * GRACE);

    await pruneFolder(folder, { keep: { last: 3 }, graceMs: GRACE });

    expect(await keys()).toContain(key);
    expect(await marks()).toEqual([expect.stringContaining(linkId(1))]);
  });

  test('and needed by a version that was retired a moment ago stays for whoever is restoring it', async () => {
    await pruneFolder(folder, { keep: { last: 4 }, graceMs: GRACE });
    const [mark = ''] = await marks();
    // An old mark names what v2 needs; v2 is retired only now.
    const key = `uploads/${linkId(1)}/shard-00/chunk-000000.tar.zst`;
    const document = {
      format: 1,
      type: 'archiver-sweep',
      uploadId: linkId(1),
      reason: 'retired',
      keys: [key.slice(`uploads/${linkId(1)}/`.length)],
    };
    const digest = createHash('sha256').update(JSON.stringify(document)).digest('hex');
    const old = mark.replace(/^uploads\/[^/]+/, `uploads/${linkId(1)}`);
    await writeObjects(folder, new Map([[old, Buffer.from(JSON.stringify({ ...document, digest }))]]));
    await age(2 * GRACE, [1]);

    await pruneFolder(folder, { keep: { last: 2 }, graceMs: GRACE });
    expect(await keys()).toContain(key);
    for (const version of [1, 2, 3]) await utimes(join(folder, recordKey(version)), 0, 0);
    await pruneFolder(folder, { keep: { last: 2 }, graceMs: GRACE });
    expect(await keys()).not.toContain(key);
  });

  test('stays as long as any version of any dataset cannot be read', async () => {
    await pruneFolder(folder, { graceMs: GRACE });
    await age(2 * GRACE);
    const all = await keys();
    await fileStore(folder).delete([linkKey(4)]);

    await expect(pruneFolder(folder, { graceMs: GRACE })).rejects.toThrow(
      /nothing was pruned: version 5 .*cannot be read/,
    );
    expect(await keys()).toEqual(all.filter((key) => key !== linkKey(4)));
  });

  test('by what nobody understands is left alone, and that is said', async () => {
    await pruneFolder(folder, { graceMs: GRACE });
    const [mark = ''] = await marks();
    await writeObjects(folder, new Map([[mark, Buffer.from('{}')]]));
    await age(2 * GRACE);

    const { planned } = await pruneFolder(folder, { graceMs: GRACE });

    expect(planned.warnings).toEqual([expect.stringMatching(/the mark .* what it names stays/)]);
    expect(await keys()).toContain(linkKey(0));
  });

  test('leaves tombstones: no number is ever free again', async () => {
    await pruneFolder(folder);

    const tombstone = JSON.parse(await readFile(join(folder, recordKey(2)), 'utf8')) as Json;
    expect(tombstone).toMatchObject({
      type: 'archiver-tombstone',
      datasetId: DATASET,
      version: 2,
      uploadId: linkId(1),
    });
    expect((await readFile(join(folder, recordKey(2)))).length).toBe(400);
    expect(await highestVersion(fileStore(folder), DATASET)).toMatchObject({ version: 5 });
    await expect(readVersion(fileStore(folder), { datasetId: DATASET, version: 2 })).rejects.toThrow(
      /version 2 of dataset .* was pruned on 20/,
    );
  });
});

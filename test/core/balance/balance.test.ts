import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../src/core/object-store/file-store.js';
import type { ObjectStore } from '../../../src/core/object-store/object-store.js';
import { manifestText, type Json } from '../../support/make-archive.js';
import { linkId, linkKey } from '../../support/make-chain.js';
import { allContent, allKeys, makeDataset, recordKey, writeObjects } from '../../support/make-dataset.js';
import { copyOf } from '../dataset/prune/prune-run.js';
import {
  balanceFolder,
  filesOf,
  folderWith,
  lonely,
  madeFor,
  noise,
  onMutation,
  previewFolder,
  restored,
  SIZES,
  verifyFolder,
} from './balance-run.js';

let folder = '';
beforeEach(async () => {
  folder = await folderWith(lonely());
});

const keys = (at = folder): Promise<string[]> => allKeys(fileStore(at));
const content = (at = folder): Promise<Map<number, string[]>> => allContent(fileStore(at));
const manifestOf = async (at: string, link = 0): Promise<Json & { chunks: Json[] }> =>
  JSON.parse(gunzipSync(await readFile(join(at, linkKey(link)))).toString()) as Json & { chunks: Json[] };
const NAMES = SIZES.map((_, file) => `f${file}`);
const ORIGINALS = SIZES.map((size, file) => noise(size, `f${file}`));
const TRACES = /\.balance$|\.bak$/;

/** Names what each chunk object is for. */
const chunksIn = async (at = folder): Promise<string[]> => (await keys(at)).filter((key) => key.includes('/chunk-'));

/** The record names the manifest that is there, and no other. */
async function recordFits(at: string): Promise<boolean> {
  const record = JSON.parse(await readFile(join(at, recordKey(1)), 'utf8')) as Json;
  const sha256 = hash('sha256', await readFile(join(at, linkKey(0))), 'hex');
  return record['manifestSha256'] === sha256 && record['replacementSha256'] === undefined;
}

describe('a balance', () => {
  test('moves chunks until the largest shard is close to the average; everything reads as before', async () => {
    const before = await content();

    const { plan, deletedObjects, failed } = await balanceFolder(folder);

    expect(plan.loads.ratio).toBeGreaterThan(2);
    expect(plan.after.ratio).toBeLessThan(1.11);
    expect(plan.moves.length).toBeLessThan(5);
    expect([deletedObjects, failed]).toEqual([plan.moves.length, []]);
    expect(await content()).toEqual(before);
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true, warnings: [] });
    expect((await keys()).filter((key) => TRACES.test(key))).toEqual([]);
    expect(await chunksIn()).toHaveLength(SIZES.length);
    expect((await balanceFolder(folder)).plan.moves).toEqual([]);
  });

  test('the new manifest stands in for the old one, and the record names it alone', async () => {
    const before = await manifestOf(folder);
    const old = JSON.parse(await readFile(join(folder, recordKey(1)), 'utf8')) as Json;

    const { plan } = await balanceFolder(folder);

    const { chunks, shards, replaces, ...rest } = await manifestOf(folder);
    const { chunks: oldChunks, shards: _shards, ...oldRest } = before;
    expect(rest).toEqual(oldRest);
    expect(replaces).toEqual([old['manifestSha256']]);
    expect(chunks.map(({ key: _key, shard: _shard, ...chunk }) => chunk)).toEqual(
      oldChunks.map(({ key: _key, shard: _shard, ...chunk }) => chunk),
    );
    expect((shards as Json[]).map(({ storedBytes }) => storedBytes)).toEqual(
      plan.after.shards.map(({ storedBytes }) => storedBytes),
    );
    const record = JSON.parse(await readFile(join(folder, recordKey(1)), 'utf8')) as Json;
    expect(record).toMatchObject({ uploadId: old['uploadId'], listing: 'full', totals: old['totals'] });
    expect([record['replacementSha256'], record['manifestSha256'] === old['manifestSha256']]).toEqual([
      undefined,
      false,
    ]);
  });

  test('keeps what a newer archiver wrote into head, chunks and entries', async () => {
    const made = lonely((manifest) => {
      madeFor(4)(manifest);
      manifest['invented'] = { later: true };
      manifest.chunks[2] = { ...manifest.chunks[2], colour: 'blue' };
      manifest.files[2] = { ...manifest.files[2], stage: 'train' };
    });
    folder = await folderWith(made);

    await balanceFolder(folder);

    const manifest = await manifestOf(folder);
    expect(manifest['invented']).toEqual({ later: true });
    expect(manifest.chunks[2]).toMatchObject({ colour: 'blue' });
    expect((manifest['files'] as Json[])[2]).toMatchObject({ stage: 'train' });
  });

  test('writes nothing when the shards are even enough, and nothing for a preview', async () => {
    const before = await keys();
    const wrap = (store: ObjectStore): ObjectStore => onMutation(store, (_, what) => Promise.reject(new Error(what)));

    expect((await balanceFolder(folder, { threshold: 3, wrap })).plan).toMatchObject({ imbalanced: false, moves: [] });
    expect((await previewFolder(folder)).moves.length).toBeGreaterThan(0);
    expect(await keys()).toEqual(before);
  });

  test('an upload without a version record is balanced as well', async () => {
    await fileStore(folder).delete([recordKey(1)]);

    expect((await balanceFolder(folder)).plan.moves.length).toBeGreaterThan(0);

    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true, warnings: [] });
  });

  test('says how far it gets when one chunk alone is too large', async () => {
    folder = await folderWith(
      makeDataset([{ files: filesOf([50_000, 3000, 2000, 1000, 2000, 1000]), bend: madeFor(4) }]),
    );

    const { plan } = await balanceFolder(folder);

    expect(plan.after.ratio).toBeGreaterThan(3);
    expect(plan.after.ratio).toBeLessThan(plan.loads.ratio);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true, warnings: [] });
  });

  test('stops at a chunk that is missing or has another size, and changes nothing', async () => {
    const [first = ''] = await chunksIn();
    await writeFile(join(folder, first), 'short');
    const before = await keys();

    await expect(balanceFolder(folder)).rejects.toMatchObject({
      message: expect.stringMatching(/no chunk was moved: .* has 5 bytes instead of/) as string,
      hint: `archiver verify file://${folder}/${first.split('/').slice(0, 2).join('/')}`,
    });

    expect(await keys()).toEqual(before);
  });

  test('a delete that fails is told, and the next run repeats it', async () => {
    const [locked = ''] = (await previewFolder(folder)).moves.map(({ from }) => from);
    const wrap = (store: ObjectStore): ObjectStore => ({
      ...store,
      delete: async (names, signal) => [
        ...(await store.delete(
          names.filter((name) => name !== locked),
          signal,
        )),
        ...(names.includes(locked) ? [{ key: locked, reason: 'locked' }] : []),
      ],
    });

    expect((await balanceFolder(folder, { wrap })).failed).toEqual([{ key: locked, reason: 'locked' }]);
    expect((await keys()).filter((key) => TRACES.test(key))).toHaveLength(1);
    expect((await balanceFolder(folder)).deletedObjects).toBe(2);
    expect((await keys()).filter((key) => TRACES.test(key))).toEqual([]);
    expect(await chunksIn()).toHaveLength(SIZES.length);
  });
});

describe('killed', () => {
  test('before any change, every version reads as before, and the next run finishes', async () => {
    const steps: string[] = [];
    const count = (store: ObjectStore): ObjectStore => onMutation(store, (_, what) => void steps.push(what));
    const whole = await copyOf(folder);
    await balanceFolder(whole, { wrap: count });
    const end = (await keys(whole)).toSorted();
    const before = await content();
    expect(steps.length).toBeGreaterThan(12);

    for (let step = 0; step < steps.length; step++) {
      const copy = await copyOf(folder);
      const wrap = (store: ObjectStore): ObjectStore =>
        onMutation(store, (call) => {
          if (call >= step) throw new Error('killed');
        });
      await expect(balanceFolder(copy, { wrap })).rejects.toThrow('killed');
      const at = `${step}: ${steps[step] ?? ''}`;
      expect([at, await content(copy)]).toEqual([at, before]);
      expect([at, await verifyFolder(copy)]).toMatchObject([at, { ok: true }]);
      expect([at, (await restored(copy, NAMES)).map(({ length }) => length)]).toEqual([at, SIZES]);
      await balanceFolder(copy);
      expect([at, await content(copy)]).toEqual([at, before]);
      expect([at, await keys(copy)]).toEqual([at, end]);
      expect([at, await recordFits(copy)]).toEqual([at, true]);
    }
  }, 120_000);

  test('a copy that is not what it should be is made again', async () => {
    const [move] = (await previewFolder(folder)).moves;
    await fileStore(folder).put(move?.to ?? '', Buffer.alloc(move?.sizeBytes ?? 0, 7));

    await balanceFolder(folder);

    expect(await verifyFolder(folder)).toMatchObject({ ok: true, warnings: [] });
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
  });

  test('copies that another threshold would not make stay: another run may be about to name them', async () => {
    const copies: string[] = [];
    const wrap = (store: ObjectStore): ObjectStore =>
      onMutation(store, (_, what) => {
        if (!what.startsWith('copy')) throw new Error('killed');
        copies.push(what.slice('copy '.length));
      });
    await expect(balanceFolder(folder, { wrap })).rejects.toThrow('killed');

    await balanceFolder(folder, { threshold: 9 });

    expect(await keys()).toEqual(expect.arrayContaining(copies));
  });
});

describe('other uploads', () => {
  const CHAIN = [
    { files: filesOf(SIZES), bend: madeFor(4) },
    { files: filesOf([4000, 4000, 4000, 4000], 'new'), kept: { f1: { mode: '0600' } }, bend: madeFor(8) },
  ];

  test('of a delta only what it stored itself moves; both versions read as before', async () => {
    folder = await folderWith(makeDataset(CHAIN));
    const before = await content();

    const { plan } = await balanceFolder(folder, { uploadId: linkId(1) });

    expect(plan.moves.length).toBeGreaterThan(0);
    expect(plan.moves.every(({ from }) => from.startsWith(`uploads/${linkId(1)}/`))).toBe(true);
    expect(plan.staying).toMatchObject([{ reason: 'other-upload', chunks: SIZES.length }]);
    expect(await content()).toEqual(before);
    expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true, warnings: [] });
    expect(await restored(folder, NAMES, linkId(1))).toEqual(ORIGINALS);
  });

  test('an upload that a later version builds on stays as it is', async () => {
    folder = await folderWith(makeDataset(CHAIN));
    const before = await keys();

    const { plan } = await balanceFolder(folder);

    expect(plan).toMatchObject({ imbalanced: true, moves: [] });
    expect(plan.staying.map(({ reason }) => reason).toSorted()).toEqual(['built-upon', 'referred']);
    expect(await keys()).toEqual(before);
  });

  test('a chunk that a full listing of another upload names stays, and the others move around it', async () => {
    const other = makeDataset([{ files: filesOf([100], 'other') }]);
    const [chunk] = (await manifestOf(folder)).chunks;
    const uploadId = '20260202-000000-0000abcd';
    const manifest = { ...(other.manifests[0] as Json & { files: Json[]; chunks: Json[] }), uploadId };
    manifest.chunks = [...manifest.chunks, { ...chunk, key: `../${linkId(0)}/${String(chunk?.['key'])}` }];
    await writeObjects(folder, new Map([[`uploads/${uploadId}/manifest.json.gz`, gzipSync(manifestText(manifest))]]));

    const { plan } = await balanceFolder(folder);

    expect(plan.staying).toMatchObject([{ reason: 'referred', chunks: 1 }]);
    expect(plan.moves.length).toBeGreaterThan(0);
    expect(await keys()).toContain(`uploads/${linkId(0)}/${String(chunk?.['key'])}`);
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
  });

  test('a manifest that cannot be read stops it: nobody knows what it needs', async () => {
    await writeObjects(folder, new Map([['uploads/20260202-000000-0000abcd/manifest.json.gz', Buffer.from('no')]]));
    const before = await keys();

    await expect(balanceFolder(folder)).rejects.toThrow(/no chunk was moved: .*20260202-000000-0000abcd/);

    expect(await keys()).toEqual(before);
  });

  test('the newest version of a writer stays: the writer continues it from memory', async () => {
    const bend = (manifest: Json): void => {
      madeFor(4)(manifest);
      manifest['writerId'] = 'probe-7';
    };
    folder = await folderWith(lonely(bend));

    const { plan } = await balanceFolder(folder);

    expect(plan).toMatchObject({ imbalanced: true, moves: [], staying: [{ reason: 'writer' }] });
  });

  test('a version that appears before the old objects go keeps what it refers to', async () => {
    const both = makeDataset([
      { files: filesOf(SIZES), bend: madeFor(4) },
      { files: filesOf([100], 'new'), kept: { f0: { mode: '0600' } } },
    ]);
    folder = await folderWith(makeDataset([{ files: filesOf(SIZES), bend: madeFor(4) }]));
    const commit = (store: ObjectStore): ObjectStore =>
      onMutation(store, async (_, what) => {
        if (what.startsWith('copy')) await writeObjects(folder, both.objectsOf(2));
      });

    const { kept, deletedObjects } = await balanceFolder(folder, { wrap: commit });

    expect([kept.length > 0, deletedObjects]).toEqual([true, 0]);
    expect((await content()).get(2)).toHaveLength(SIZES.length + 2);
    expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true });
    await balanceFolder(folder);
    expect((await content()).get(2)).toHaveLength(SIZES.length + 2);
  });
});

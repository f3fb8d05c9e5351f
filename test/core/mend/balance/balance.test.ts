import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectReader, ObjectStore } from '../../../../src/core/store/object-store.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { manifestText, type Json } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, makeDataset, recordKey, writeObjects } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { copyOf } from '../../dataset/prune/prune-run.js';
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
const TRACES = /\.balance-[0-9a-f]{8}$|\.pre-balance\.bak$/;

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

    const plan = await balanceFolder(folder);

    expect(plan.loads.ratio).toBeGreaterThan(2);
    expect(plan.after.ratio).toBeLessThan(1.11);
    expect(plan.moves.length).toBeLessThan(5);
    expect(await content()).toEqual(before);
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true });
    expect((await balanceFolder(folder)).moves).toEqual([]);
  });

  test('deletes nothing, and says what is stored twice until a prune; also when there is nothing to move any more', async () => {
    const before = await keys();

    const { moves, superseded } = await balanceFolder(folder);

    const bytes = moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    expect(superseded).toEqual({ objects: moves.length, bytes });
    expect((await balanceFolder(folder)).superseded).toEqual(superseded);
    expect(await keys()).toEqual(expect.arrayContaining(before));
    expect(await chunksIn()).toHaveLength(SIZES.length + moves.length);
    expect((await keys()).filter((key) => TRACES.test(key))).toHaveLength(2);
  });

  test('gives copies keys that never were', async () => {
    const first = await balanceFolder(await copyOf(folder));
    const second = await balanceFolder(folder);

    expect(first.moves.map(({ to }) => to)).not.toEqual(second.moves.map(({ to }) => to));
    expect(second.moves.map(({ to }) => to.replace(/-[0-9a-f]{8}\.tar/, '.tar'))).toEqual(
      second.moves.map(({ from, toShard }) => from.replace(/shard-\d\d/, `shard-0${toShard}`)),
    );
  });

  test('the new manifest stands in for the old one, and the record names it alone', async () => {
    const before = await manifestOf(folder);
    const old = JSON.parse(await readFile(join(folder, recordKey(1)), 'utf8')) as Json;

    const plan = await balanceFolder(folder);

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

    expect(await balanceFolder(folder, { threshold: 3, wrap })).toMatchObject({ imbalanced: false, moves: [] });
    expect((await previewFolder(folder)).moves.length).toBeGreaterThan(0);
    expect(await keys()).toEqual(before);
  });

  test('an upload without a version record is balanced as well', async () => {
    await fileStore(folder).delete([recordKey(1)]);

    expect((await balanceFolder(folder)).moves.length).toBeGreaterThan(0);

    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true });
  });

  test('says how far it gets when one chunk alone is too large', async () => {
    folder = await folderWith(
      makeDataset([{ files: filesOf([50_000, 3000, 2000, 1000, 2000, 1000]), bend: madeFor(4) }]),
    );

    const plan = await balanceFolder(folder);

    expect(plan.after.ratio).toBeGreaterThan(3);
    expect(plan.after.ratio).toBeLessThan(plan.loads.ratio);
    expect(await verifyFolder(folder)).toMatchObject({ ok: true });
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
});

describe('killed', () => {
  test('before any change, every version reads as before, and the next run finishes with the copies that are there', async () => {
    const steps: string[] = [];
    const count = (store: ObjectStore): ObjectStore => onMutation(store, (_, what) => void steps.push(what));
    const whole = await copyOf(folder);
    const { moves } = await balanceFolder(whole, { wrap: count });
    const shards = (await manifestOf(whole)).chunks.map(({ shard }) => shard);
    const before = await content();
    expect(steps).toHaveLength(moves.length + 5);

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
      expect([at, (await manifestOf(copy)).chunks.map(({ shard }) => shard)]).toEqual([at, shards]);
      expect([at, (await chunksIn(copy)).length]).toEqual([at, SIZES.length + moves.length]);
      expect([at, await recordFits(copy)]).toEqual([at, true]);
    }
  });

  test('a copy that is not what it should be is made again', async () => {
    const [move] = (await previewFolder(folder)).moves;
    await fileStore(folder).put(move?.to ?? '', Buffer.alloc(move?.sizeBytes ?? 0, 7));

    expect((await balanceFolder(folder)).moves[0]?.to).toBe(move?.to);

    expect(await verifyFolder(folder)).toMatchObject({ ok: true });
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
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

    const plan = await balanceFolder(folder, { uploadId: linkId(1) });

    expect(plan.moves.length).toBeGreaterThan(0);
    expect(plan.moves.every(({ from }) => from.startsWith(`uploads/${linkId(1)}/`))).toBe(true);
    expect(plan.staying).toMatchObject([{ reason: 'other-upload', chunks: SIZES.length }]);
    expect(await content()).toEqual(before);
    expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true });
    expect(await restored(folder, NAMES, linkId(1))).toEqual(ORIGINALS);
  });

  test('of an upload that a later version builds on all moves but what that names; both versions read as before', async () => {
    folder = await folderWith(makeDataset(CHAIN));
    const before = await content();

    const plan = await balanceFolder(folder);

    expect(plan.moves.length).toBeGreaterThan(0);
    expect(plan.staying).toMatchObject([{ reason: 'referred', chunks: 1 }]);
    expect(await content()).toEqual(before);
    expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true });
    expect(await restored(folder, NAMES, linkId(1))).toEqual(ORIGINALS);
  });

  test('whoever holds the old manifest finds every object that it names', async () => {
    folder = await folderWith(makeDataset(CHAIN));
    const before = await content();
    const old = await readFile(join(folder, linkKey(0)));
    const { moves } = await balanceFolder(folder);
    expect(moves.length).toBeGreaterThan(0);
    const plain = fileStore(folder);
    const remembering: ObjectReader = {
      ...plain,
      get: async (key, options) =>
        key === linkKey(0) ? await memoryReader(new Map([[key, old]])).get(key) : await plain.get(key, options),
    };

    const view = await openView(remembering, { uploadId: linkId(0) });

    expect(view.chunks.map(({ key }) => key)).toContain(moves[0]?.from.split('/').slice(2).join('/'));
    const listed = await keys();
    expect(view.chunks.every(({ key }) => listed.includes(`uploads/${linkId(0)}/${key}`))).toBe(true);
    expect(await allContent(plain)).toEqual(before);
  });

  test('a chunk that a full listing of another upload names stays, and the others move around it', async () => {
    const other = makeDataset([{ files: filesOf([100], 'other') }]);
    const [chunk] = (await manifestOf(folder)).chunks;
    const uploadId = '20260202-000000-0000abcd';
    const manifest = { ...(other.manifests[0] as Json & { files: Json[]; chunks: Json[] }), uploadId };
    manifest.chunks = [...manifest.chunks, { ...chunk, key: `../${linkId(0)}/${String(chunk?.['key'])}` }];
    await writeObjects(folder, new Map([[`uploads/${uploadId}/manifest.json.gz`, gzipSync(manifestText(manifest))]]));

    const plan = await balanceFolder(folder);

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

    const plan = await balanceFolder(folder);

    expect(plan).toMatchObject({ imbalanced: true, moves: [], staying: [{ reason: 'writer' }] });
  });

  test('a version that appears meanwhile and refers to old objects is whole', async () => {
    const both = makeDataset([
      { files: filesOf(SIZES), bend: madeFor(4) },
      { files: filesOf([100], 'new'), kept: { f0: { mode: '0600' } } },
    ]);
    folder = await folderWith(makeDataset([{ files: filesOf(SIZES), bend: madeFor(4) }]));
    const commit = (store: ObjectStore): ObjectStore =>
      onMutation(store, async (_, what) => {
        if (what.startsWith('copy')) await writeObjects(folder, both.objectsOf(2));
      });

    await balanceFolder(folder, { wrap: commit });

    expect((await content()).get(2)).toHaveLength(SIZES.length + 2);
    expect(await verifyFolder(folder, linkId(1))).toMatchObject({ ok: true });
    const { superseded } = await balanceFolder(folder);
    expect(superseded.objects).toBe((await chunksIn()).length - SIZES.length - 2);
  });
});

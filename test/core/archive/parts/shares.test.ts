// Files that are larger than a part: many workers pack their pieces, and the commit lists the file once, as a single upload does, or not at all.
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import { readPlan } from '../../../../src/core/archive/parts/read-plan.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import type { PlannedPart } from '../../../../src/core/format/parts/part-documents.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { planStatus } from '../../../../src/core/archive/parts/plan-status.js';
import { expectWhole } from '../resume/interrupted.js';
import { RandomTree, randomOf } from '../random-tree.js';
import { uploadFolder } from '../upload-folder.js';
import { content } from './large-file.js';
import {
  committed,
  listedBy,
  notes,
  openedStore,
  planned,
  planSite,
  worked,
  workedAll,
  type PlanSite,
} from './plan-runs.js';

const MIB = 2 ** 20;
const KIB64 = 64 * 1024;
/** Pieces of 64 KiB, in parts of six. */
const SMALL = { layout: { chunkBytes: KIB64, shardCount: 4 }, dataset: { changes: { trackDeletes: true } } };
const PARTS = { bytes: 6 * KIB64 };

const BIG = 20 * KIB64 + 12_345;

/** Small files, and a large one among them. */
async function site(big: Buffer = content(BIG)): Promise<PlanSite & { readonly big: string }> {
  const made = await planSite();
  for (const folder of ['a', 'm', 'z']) {
    mkdirSync(join(made.source, folder));
    for (let n = 0; n < 4; n++) writeFileSync(join(made.source, folder, `${n}`), `${folder}${n}`.repeat(500));
  }
  const path = join(made.source, 'm', '1-big');
  writeFileSync(path, big);
  utimesSync(path, 1_600_000_000, 1_600_000_000);
  return { ...made, big: path };
}

const withShares = (parts: readonly PlannedPart[]): readonly number[] =>
  parts.flatMap(({ part, shares }) => (shares === undefined ? [] : [part]));

async function entryOf({ base }: PlanSite, uploadId: string, path = 'm/1-big'): Promise<Entry | undefined> {
  const entries: Entry[] = [];
  await readView(fileStore(base), { uploadId: asUploadId(uploadId), onEntry: (entry) => void entries.push(entry) });
  return entries.find((entry) => entry.path === path);
}

describe('a file that is larger than a part', () => {
  test('lies in pieces in several parts, is listed as a single upload lists it, and is restored', async () => {
    const made = await site();
    const single = await uploadFolder(made.source, `${made.base}-single`, { datasetId: 'd' }).result;

    const plan = await planned(made, PARTS, SMALL);
    const done = await workedAll(made, plan);
    const version = await committed(made, plan.uploadId);

    const shares = plan.parts.flatMap((part) => part.shares ?? []);
    expect(shares.map(({ first, last }) => [first, last])).toEqual(
      shares.map(({ last }, at) => [(shares[at - 1]?.last ?? 0) + 1, last]),
    );
    expect(shares.length).toBeGreaterThan(3);
    expect(shares.at(-1)).toMatchObject({ last: 21, of: 21 });
    expect(version).toMatchObject({ version: 1, partial: false, totals: { files: 13, bytes: plan.totals.bytes } });
    expect(await listedBy(made.base, plan.uploadId)).toEqual(await listedBy(`${made.base}-single`, single.uploadId));
    const entry = await entryOf(made, plan.uploadId);
    expect(entry?.md5).toBe(createHash('md5').update(readFileSync(made.big)).digest('hex'));
    expect(entry?.segments).toHaveLength(21);
    await expectWhole(made as never, plan.uploadId);
    // Bytes and files count once, in the plan and in what was done.
    const sum = (of: 'files' | 'bytes'): number => plan.parts.reduce((total, part) => total + part[of], 0);
    const sumDone = (of: 'files' | 'bytes'): number => done.reduce((total, part) => total + part[of], 0);
    expect([sum('files'), sum('bytes')]).toEqual([plan.totals.files, plan.totals.bytes]);
    expect([sumDone('files'), sumDone('bytes')]).toEqual([plan.totals.files, plan.totals.bytes]);
    const opened = openedStore(made);
    const { signal } = new AbortController();
    const status = await planStatus(
      opened.store,
      await readPlan(opened.store, asUploadId(plan.uploadId), signal),
      signal,
    );
    expect(status).toMatchObject({ bytes: plan.totals.bytes, bytesDone: plan.totals.bytes, isCommitted: true });
  });

  test('is planned in the same way by a plan that holds a few entries at a time', async () => {
    const made = await site();

    const whole = await planned({ ...made, base: `${made.base}-whole` }, { count: 6 }, SMALL);
    const plan = await planned(made, { count: 6 }, SMALL, 3);
    await workedAll(made, plan);
    const version = await committed(made, plan.uploadId);

    expect(withShares(plan.parts).length).toBeGreaterThan(3);
    expect(plan.parts.map(({ shares }) => shares)).toEqual(whole.parts.map(({ shares }) => shares));
    expect(plan.parts.length).toBeLessThanOrEqual(6);
    expect(version).toMatchObject({ version: 1, partial: false });
    await expectWhole(made as never, plan.uploadId);
  });

  test('is left whole where it has several names, or fits a part', async () => {
    const made = await site();
    const fits = await planned(made, { bytes: 2 * MIB }, SMALL);
    linkSync(made.big, join(made.source, 'other'));

    const linked = await planned(made, PARTS, SMALL);
    const windows = await planned(made, PARTS, SMALL, 3);

    expect(withShares(fits.parts)).toEqual([]);
    for (const plan of [linked, windows]) {
      expect(withShares(plan.parts)).toEqual([]);
      await workedAll(made, plan);
      expect(await committed(made, plan.uploadId)).toMatchObject({ partial: false });
      await expectWhole(made as never, plan.uploadId);
    }
  });

  test('keeps its holes and attributes, and its content may be the first and the last of the folder', async () => {
    const made = await planSite();
    const path = join(made.source, 'only');
    const file = openSync(path, 'w');
    writeSync(file, content(200_000), 0, 200_000, 0);
    writeSync(file, content(200_000, 2), 0, 200_000, MIB);
    ftruncateSync(file, 2 * MIB);
    closeSync(file);
    const single = await uploadFolder(made.source, `${made.base}-single`, { datasetId: 'd' }).result;

    const plan = await planned(made, { count: 4 }, SMALL);
    await workedAll(made, plan);
    await committed(made, plan.uploadId);

    expect(withShares(plan.parts)).toEqual([0, 1, 2, 3]);
    const [entry, other] = [
      await entryOf(made, plan.uploadId, 'only'),
      await entryOf({ ...made, base: `${made.base}-single` }, single.uploadId, 'only'),
    ];
    expect(entry?.holes).toEqual(other?.holes);
    expect(entry?.holes?.length).toBeGreaterThan(1);
    await expectWhole(made as never, plan.uploadId);
  });

  test('has no checksums, and is read once, where none are wanted', async () => {
    const made = await site();
    const plan = await planned(made, PARTS, { ...SMALL, packing: { fileChecksums: false, compressionLevel: 1 } });
    await workedAll(made, plan);
    await committed(made, plan.uploadId);

    expect(await entryOf(made, plan.uploadId)).not.toHaveProperty('md5');
    await expectWhole(made as never, plan.uploadId);
  });

  test('is known again by its SHA-256 where equal content is stored once', async () => {
    const made = await site();
    const dedup = { ...SMALL, packing: { dedup: true, compressionLevel: 1, frameBytes: KIB64 } };
    const plan = await planned(made, PARTS, dedup);
    await workedAll(made, plan);
    await committed(made, plan.uploadId);
    writeFileSync(join(made.source, 'copy'), readFileSync(made.big));

    const next = await planned(made, PARTS, dedup);

    expect((await entryOf(made, plan.uploadId))?.sha256).toBe(
      createHash('sha256').update(readFileSync(made.big)).digest('hex'),
    );
    expect(next.totals.files).toBe(0);
    await workedAll(made, next);
    await committed(made, next.uploadId);
    await expectWhole(made as never, next.uploadId);
  });
});

describe.each([1, 2, 3])('a random folder with large files (seed %i)', (seed) => {
  test('by many workers, in windows or not, lists what a single upload lists', async () => {
    const made = await planSite();
    const random = randomOf(seed);
    new RandomTree(made.source, random, KIB64 / 4).edit(40);
    const folders = [
      '',
      ...readdirSync(made.source, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : [])),
    ];
    for (let n = 0; n < 3; n++) {
      const folder = folders[Math.floor(random() * folders.length)] ?? '';
      writeFileSync(join(made.source, folder, `d-large${n}`), content(Math.ceil(random() * MIB), n));
    }
    const single = await uploadFolder(made.source, `${made.base}-single`, { datasetId: 'd' }).result;

    const plan = await planned(made, { count: 2 + Math.floor(random() * 6) }, SMALL, seed % 2 === 0 ? 7 : undefined);
    for (const part of plan.parts.toSorted(() => random() - 0.5)) await worked(made, plan.uploadId, part.part);
    const version = await committed(made, plan.uploadId);

    expect(version).toMatchObject({ version: 1, partial: false });
    expect(await listedBy(made.base, plan.uploadId)).toEqual(await listedBy(`${made.base}-single`, single.uploadId));
    await expectWhole(made as never, plan.uploadId);
  });
});

test('a large file that has changed since the version before is listed on top of it, and is left as it was where it changes again', async () => {
  const made = await site();
  const first = await planned(made, PARTS, SMALL);
  await workedAll(made, first);
  await committed(made, first.uploadId);
  const before = await entryOf(made, first.uploadId);
  writeFileSync(made.big, content(BIG + 100, 2));

  const plan = await planned(made, PARTS, SMALL);
  await workedAll(made, plan);
  await committed(made, plan.uploadId);
  await expectWhole(made as never, plan.uploadId);
  const changed = await entryOf(made, plan.uploadId);

  writeFileSync(made.big, content(BIG + 200, 3));
  const third = await planned(made, PARTS, SMALL);
  await worked(made, third.uploadId, 0);
  appendFileSync(made.big, 'more');
  await workedAll(made, third);
  const version = await committed(made, third.uploadId);

  expect(third.parts.length).toBeGreaterThan(3);
  expect(changed?.md5).not.toBe(before?.md5);
  expect(version).toMatchObject({ version: 3, partial: true, leftOut: { count: 1 } });
  expect(await entryOf(made, third.uploadId)).toMatchObject({ md5: changed?.md5, size: BIG + 100 });
});

describe('a large file that is not what was planned', () => {
  const CHANGES: readonly (readonly [string, (path: string) => void])[] = [
    ['grows', (path) => appendFileSync(path, 'more')],
    ['is truncated', (path) => truncateSync(path, MIB)],
    [
      'has other bytes and the same time',
      (path) => {
        const file = openSync(path, 'r+');
        writeSync(file, Buffer.from('other'), 0, 5, MIB);
        closeSync(file);
        utimesSync(path, 1_600_000_000, 1_600_000_000);
      },
    ],
    [
      'becomes a folder',
      (path) => {
        unlinkSync(path);
        mkdirSync(path);
      },
    ],
  ];

  test.each(CHANGES)('and %s between two parts, is left out as a whole and named once', async (_how, change) => {
    const made = await site();
    const plan = await planned(made, PARTS, SMALL);
    const shared = withShares(plan.parts);
    for (const part of shared.slice(0, 2)) await worked(made, plan.uploadId, part);
    change(made.big);

    const done = [];
    for (const { part } of plan.parts) done.push(await worked(made, plan.uploadId, part, { allowMassDelete: true }));
    const version = await committed(made, plan.uploadId);
    const again = await committed(made, plan.uploadId);

    expect(done.filter(({ partial }) => partial)).toHaveLength(shared.length - 2);
    expect(version).toMatchObject({ partial: true, leftOut: { count: 1, paths: [{ path: 'm/1-big' }] } });
    expect(version).toMatchObject({ totals: { files: 12, skipped: 1 } });
    expect(again).toMatchObject({ isAlready: true, leftOut: { count: 1 } });
    expect(await entryOf(made, plan.uploadId)).toBeUndefined();
    expect(await entryOf(made, plan.uploadId, 'm/0')).toBeDefined();
  });

  test('and has vanished, is refused by a part that has nothing else, and left out where that is allowed', async () => {
    const made = await site();
    const plan = await planned(made, PARTS, SMALL);
    const [, second = 0] = withShares(plan.parts);
    unlinkSync(made.big);

    await expect(worked(made, plan.uploadId, second)).rejects.toMatchObject({ code: 'mass-delete' });
    expect(await worked(made, plan.uploadId, second, { allowMassDelete: true })).toMatchObject({
      partial: true,
      leftOut: { count: 1, paths: [{ reason: 'vanished after it was planned' }] },
    });
  });

  test('and changes while a part reads it, has no pieces of that part', async () => {
    const made = await site();
    const plan = await planned(made, PARTS, SMALL);
    const shared = withShares(plan.parts);
    const changing = {
      ...made,
      wrap: () => ({
        put: async (...args: Parameters<ReturnType<typeof fileStore>['put']>) => {
          if (args[0].includes('/chunk-')) utimesSync(made.big, 1_700_000_000, 1_700_000_000);
          return await fileStore(made.base).put(...args);
        },
      }),
    };
    const changed = await worked(changing, plan.uploadId, shared[1] ?? 0);
    utimesSync(made.big, 1_600_000_000, 1_600_000_000);
    await workedAll(made, plan);

    expect(changed).toMatchObject({ partial: true, bytes: 0, leftOut: { count: 1 } });
    expect(await committed(made, plan.uploadId)).toMatchObject({ partial: true, leftOut: { count: 1 } });
    expect(await entryOf(made, plan.uploadId)).toBeUndefined();
  });
});

test('a killed attempt at a share is done again, and of two at once the first counts', async () => {
  const made = await site();
  const plan = await planned(made, PARTS, SMALL);
  const shared = withShares(plan.parts);
  const [, second = 0, third = 0] = shared;
  const killing = {
    ...made,
    wrap: () => ({
      put: async (...args: Parameters<ReturnType<typeof fileStore>['put']>) => {
        if (args[0].includes('/parts/')) throw new Error('killed');
        return await fileStore(made.base).put(...args);
      },
    }),
  };
  await expect(worked(killing, plan.uploadId, second)).rejects.toThrow('killed');
  const both = await Promise.all([worked(made, plan.uploadId, third), worked(made, plan.uploadId, third)]);
  const missing = await committed(made, plan.uploadId);
  await workedAll(made, plan);
  const [one, other] = await Promise.all([committed(made, plan.uploadId), committed(made, plan.uploadId)]);

  expect(both.map(({ outcome }) => outcome).toSorted()).toEqual(['beaten', 'stored']);
  expect(missing).toMatchObject({ missing: plan.parts.map(({ part }) => part).filter((part) => part !== third) });
  for (const version of [one, other]) expect(version).toMatchObject({ version: 1, partial: false });
  expect(notes(made).filter((text) => text.includes('counts for nothing'))).toEqual([]);
  const own = readdirSync(join(made.base, 'uploads', plan.uploadId, 'manifest'));
  expect(own).toHaveLength(1); // both have made the same segment
  await expectWhole(made as never, plan.uploadId);
});

test('a share whose segment or chunk is gone is done again', async () => {
  for (const gone of ['manifest', 'shard-00']) {
    const made = await site();
    const plan = await planned(made, PARTS, SMALL);
    const done = await workedAll(made, plan);
    const [, second = 0] = withShares(plan.parts);
    rmSync(join(made.base, 'uploads', done[second]?.attempt ?? '', gone), { recursive: true });

    const missing = await committed(made, plan.uploadId);
    await worked(made, plan.uploadId, second);
    await committed(made, plan.uploadId);

    expect(missing).toMatchObject({ missing: [second] });
    await expectWhole(made as never, plan.uploadId);
  }
});

test('every chunk of a share is encrypted with the key of the dataset', async () => {
  const made = await site();
  const keys: (string | undefined)[] = [];
  const watched = {
    ...made,
    // A folder cannot encrypt: it says that it is none.
    wrap: () => ({
      url: 's3://lab/a',
      put: async (...[key, body, { kmsKeyId, ...options } = {}]: Parameters<ReturnType<typeof fileStore>['put']>) => {
        if (key.includes('/chunk-')) keys.push(kmsKeyId);
        return await fileStore(made.base).put(key, body, options);
      },
    }),
  };
  const encryption = { kmsKeyId: 'alias/lab', encryptManifest: false, keep: true };
  const plan = await planned(watched, PARTS, { ...SMALL, dataset: { encryption } });
  await workedAll(watched, plan);
  await committed(watched, plan.uploadId);

  expect(keys.length).toBeGreaterThanOrEqual(21);
  expect(new Set(keys)).toEqual(new Set(['alias/lab']));
  await expectWhole(made as never, plan.uploadId);
});

test('a plan with shares, and the results, name what an older archiver must know', async () => {
  const made = await site();
  const plan = await planned(made, PARTS, SMALL);
  const folder = join(made.base, 'uploads', plan.uploadId);
  await workedAll(made, plan);
  const head = JSON.parse(gunzipSync(readFileSync(join(folder, 'plan.json.gz'))).toString()) as object;
  const requires = readdirSync(join(folder, 'parts')).map(
    (name) => (JSON.parse(readFileSync(join(folder, 'parts', name), 'utf8')) as { requires: string[] }).requires,
  );

  expect(head).toMatchObject({ requires: ['shares'] });
  expect(requires.filter((words) => words.includes('shares'))).toHaveLength(withShares(plan.parts).length);
  writeFileSync(
    join(folder, 'plan.json.gz'),
    gzipSync(
      gunzipSync(readFileSync(join(folder, 'plan.json.gz')))
        .toString()
        .replace('"shares"]', '"shares","more"]'),
    ),
  );
  await expect(worked(made, plan.uploadId, 0)).rejects.toThrow("it uses 'more'");
});

test('a file of 5 TB is planned without being read', async () => {
  const made = await planSite();
  const path = join(made.source, 'sky');
  const file = openSync(path, 'w');
  // More data than a piece: less would be a sparse file, which lies in one chunk.
  for (let at = 0; at < 66; at++) writeSync(file, Buffer.alloc(MIB, 1), 0, MIB, at * MIB);
  ftruncateSync(file, 5e12);
  closeSync(file);

  const size = { bytes: 64 * 2 ** 30 };
  const options = { layout: { shardCount: 4 }, packing: { frameBytes: 16 * MIB } };
  const plan = await planned(made, size, options);
  const many = planned(made, size, { ...options, packing: { frameBytes: KIB64 } });

  await expect(many).rejects.toThrow('sky is too large for one entry: it would lie in 74506 chunks');

  const folder = join(made.base, 'uploads', plan.uploadId);
  const bytes = ['plan.json.gz', ...readdirSync(join(folder, 'plan')).map((name) => join('plan', name))].reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );
  expect(plan.parts).toHaveLength(Math.ceil(5e12 / (64 * 2 ** 30)));
  expect(plan.parts.every(({ bytes: own }) => own < 66 * 2 ** 30)).toBe(true);
  expect(plan.parts.at(-1)?.shares).toMatchObject([{ last: 74_506, of: 74_506, pieceBytes: 64 * MIB }]);
  expect(bytes).toBeLessThan(100_000);
});

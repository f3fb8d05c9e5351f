// A balance beside prunes, other balances, and its own self after days of standing still.
import { hash } from 'node:crypto';
import { readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { lostChunks } from '../../../../src/core/dataset/chain/lost-chunks.js';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import type { ChunkRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, recordKey } from '../../../support/make-dataset.js';
import { copyOf, pruneFolder } from '../../dataset/prune/prune-run.js';
import { replaceIn, successorOf } from '../../dataset/replace-run.js';
import { balanceFolder, folderWith, lonely, noise, onMutation, restored, SIZES } from './balance-run.js';

const NAMES = SIZES.map((_, file) => `f${file}`);
const ORIGINALS = SIZES.map((size, file) => noise(size, `f${file}`));
const KEY = linkKey(0);
const BASE = `uploads/${linkId(0)}/`;
const signal = new AbortController().signal;

let folder = '';
let before = new Map<number, string[]>();
beforeEach(async () => {
  folder = await folderWith(lonely());
  before = await allContent(fileStore(folder));
});

const keys = (at = folder): Promise<string[]> => allKeys(fileStore(at));
const copiesIn = async (at = folder): Promise<string[]> =>
  (await keys(at)).filter((key) => /-[0-9a-f]{8}\.tar\.zst$/.test(key));
const chunksOf = async (at = folder): Promise<readonly ChunkRecord[]> =>
  (JSON.parse(gunzipSync(await readFile(join(at, KEY))).toString()) as { chunks: ChunkRecord[] }).chunks;
const mark = (names: readonly string[], at = folder): Promise<boolean> => {
  const objects = names.map((key) => ({ key, lastModified: new Date() }));
  return writeMark(fileStore(at), { uploadId: linkId(0), reason: 'superseded', objects }, signal);
};
/** Does this once, right before the first change that looks like this. */
const meanwhile =
  (what: RegExp, act: () => Promise<unknown>) =>
  (store: ObjectStore): ObjectStore => {
    let acts = 0;
    return onMutation(store, async (_, step) => {
      if (what.test(step) && acts++ === 0) await act();
    });
  };
const swap = new RegExp(`^put ${KEY}$`);
/** Copies are made, and nothing more. */
const interrupt = (store: ObjectStore): ObjectStore =>
  onMutation(store, (_, what) => {
    if (!what.startsWith('copy')) throw new Error('killed');
  });

describe('a prune', () => {
  test('takes what a balance left, and nothing that anybody needs', async () => {
    const { moves } = await balanceFolder(folder);

    await pruneFolder(folder, { keep: { last: 1 }, graceMs: 0 });

    const left = await keys();
    expect(left).toEqual(
      [recordKey(1), KEY, ...(await chunksOf()).map(({ key }) => `${BASE}${key}`)].toSorted((a, b) => (a < b ? -1 : 1)),
    );
    expect(moves.every(({ from, to }) => !left.includes(from) && left.includes(to))).toBe(true);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('at any step of a balance leaves the version whole, and so does the balance', async () => {
    const steps: string[] = [];
    await balanceFolder(await copyOf(folder), {
      wrap: (store) => onMutation(store, (_, what) => void steps.push(what)),
    });

    for (let step = 0; step < steps.length; step++) {
      const copy = await copyOf(folder);
      // With its grace, as prunes run beside other things.
      const wrap = (store: ObjectStore): ObjectStore =>
        onMutation(store, async (call) => {
          if (call === step) await pruneFolder(copy, { keep: { last: 1 }, graceMs: 86_400_000 });
        });
      const ended = await balanceFolder(copy, { wrap }).catch((error: unknown) => error as Error);

      expect([step, ended instanceof Error && !(ended instanceof ArchiverError)]).toEqual([step, false]);
      expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
      await pruneFolder(copy, { keep: { last: 1 }, graceMs: 0 });
      expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
    }
  });

  test('that has marked the copies of an interrupted balance makes the next one copy anew', async () => {
    await expect(balanceFolder(folder, { wrap: interrupt })).rejects.toThrow('killed');
    const marked = await copiesIn();
    await mark(marked);

    const { moves } = await balanceFolder(folder);

    expect(moves.filter(({ to }) => marked.includes(to))).toEqual([]);
    await fileStore(folder).delete(marked);
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
  });

  test('that marks the copies before a manifest names them stops the balance', async () => {
    const wrap = meanwhile(/balance-[0-9a-f]{8}$/, async () => mark(await copiesIn()));

    await expect(balanceFolder(folder, { wrap })).rejects.toThrow(
      /the copy .* is not there .*or a prune has marked it/,
    );

    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('whose mark cannot be read stops the balance before anything is copied', async () => {
    await fileStore(folder).put(`${BASE}sweep-20260101T000000Z-00000000.json`, Buffer.from('{}'));
    const all = await keys();

    await expect(balanceFolder(folder)).rejects.toThrow('holds a mark of a prune that cannot be read');

    expect(await keys()).toEqual(all);
  });
});

describe('a balance that stood still right before the swap', () => {
  test('does not put its manifest over another one', async () => {
    const other = successorOf(await readFile(join(folder, KEY))).bytes;
    const wrap = meanwhile(swap, () => replaceIn(folder));

    await expect(balanceFolder(folder, { wrap })).rejects.toMatchObject({ code: 'conflict' });

    expect(await readFile(join(folder, KEY))).toEqual(other);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('until its copies were swept makes them once more', async () => {
    const wrap = meanwhile(swap, async () => await fileStore(folder).delete(await copiesIn()));

    const { moves } = await balanceFolder(folder, { wrap });

    expect(moves.length).toBeGreaterThan(0);
    expect(await allContent(fileStore(folder))).toEqual(before);
    expect(await restored(folder, NAMES)).toEqual(ORIGINALS);
  });

  test('until its version was retired does not bring the record back', async () => {
    const wrap = meanwhile(/put datasets/, () => rm(join(folder, recordKey(1))));

    await expect(balanceFolder(folder, { wrap })).rejects.toMatchObject({ code: 'conflict' });

    expect(await keys()).not.toContain(recordKey(1));
  });
});

test('two at once: one manifest wins, the record names it, and everything reads as before', async () => {
  for (let round = 0; round < 4; round++) {
    const copy = await copyOf(folder);

    const ended = await Promise.allSettled([
      balanceFolder(copy),
      balanceFolder(copy, { threshold: 1.2 }),
      balanceFolder(copy),
    ]);

    const failed = ended.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(failed.filter((error) => !(error instanceof ArchiverError && error.code === 'conflict'))).toEqual([]);
    expect(failed.length).toBeLessThan(3);
    expect(await allContent(fileStore(copy))).toEqual(before);
    await balanceFolder(copy);
    const record = JSON.parse(await readFile(join(copy, recordKey(1)), 'utf8')) as Record<string, unknown>;
    const sha256 = hash('sha256', await readFile(join(copy, KEY)), 'hex');
    expect([record['manifestSha256'], record['replacementSha256']]).toEqual([sha256, undefined]);
    expect(await restored(copy, NAMES)).toEqual(ORIGINALS);
  }
});

describe('what a manifest names and is lost', () => {
  const lost = async (fresh: readonly string[]): Promise<readonly string[]> =>
    await lostChunks(
      fileStore(folder),
      { uploadId: linkId(0), chunks: await chunksOf(), fresh: new Set(fresh) },
      signal,
    );

  test('is what is missing or has another size', async () => {
    const [a = '', b = ''] = (await chunksOf()).map(({ key }) => `${BASE}${key}`);
    expect(await lost([])).toEqual([]);
    await fileStore(folder).delete([a]);
    await fileStore(folder).put(b, Buffer.from('short'));

    expect(await lost([])).toEqual([a, b]);
  });

  test('is what was marked long before the manifest was put, and was named by none until then', async () => {
    const [a = '', b = ''] = (await chunksOf()).map(({ key }) => `${BASE}${key}`);
    await mark([a, b]);
    expect(await lost([a])).toEqual([]);
    const [name = ''] = (await keys()).filter((key) => key.includes('/sweep-'));
    const old = new Date(Date.now() - 7_200_000);
    await utimes(join(folder, name), old, old);

    expect(await lost([a])).toEqual([a]);
  });
});

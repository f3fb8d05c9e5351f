// Somebody else works on the dataset while it is pruned.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/errors.js';
import { fileStore } from '../../../../src/core/object-store/file-store.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import {
  allContent,
  allKeys,
  makeDataset,
  recordKey,
  versionContent,
  writeObjects,
} from '../../../support/make-dataset.js';
import { copyOf, datasetFolder, LINKS, onMutation, pruneFolder, stepsOf } from './prune-run.js';

const made = makeDataset(LINKS);
let folder = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
});

const without = async (version: number): Promise<string> => {
  const copy = await copyOf(folder);
  await fileStore(copy).delete([...made.objectsOf(version).keys()]);
  return copy;
};

describe('a sync that commits meanwhile', () => {
  test('is never harmed, whenever it does; the prune stops before chunks go, and the next one finishes', async () => {
    const ready = await without(5);
    const keep = { last: 1 };
    const steps = await stepsOf(ready, { keep });
    const firstChunk = steps.findIndex((step) => step.startsWith('delete uploads/') && step.endsWith('.tar.zst'));
    expect(firstChunk).toBeGreaterThan(5);

    for (let step = 0; step < steps.length; step++) {
      const copy = await copyOf(ready);
      const chunks = (await allKeys(fileStore(copy))).filter((key) => key.endsWith('.tar.zst'));
      const commit = async (call: number): Promise<void> => {
        if (call === step) await writeObjects(copy, made.objectsOf(5));
      };

      const outcome = await pruneFolder(copy, { keep, wrap: (store) => onMutation(store, commit) }).catch(
        (error: unknown) => error as Error,
      );

      const isStopped = outcome instanceof ArchiverError && /version 5 .* appeared meanwhile/.test(outcome.message);
      const left = new Set(await allKeys(fileStore(copy)));
      const lost = chunks.filter((key) => !left.has(key));
      expect([step, isStopped, lost.length === 0]).toEqual([step, step < firstChunk, step < firstChunk]);
      expect([step, await versionContent(fileStore(copy), 5)]).toEqual([step, before.get(5)]);
      expect([step, await versionContent(fileStore(copy), 4)]).toEqual([step, before.get(4)]);
      await pruneFolder(copy);
      expect([step, await allContent(fileStore(copy))]).toEqual([step, new Map([4, 5].map((v) => [v, before.get(v)]))]);
    }
  });

  test('while a person looks at the plan means that nothing is touched: another version would go than was shown', async () => {
    const ready = await without(5);
    const before = await allKeys(fileStore(ready));
    const afterPlan = (): Promise<void> => writeObjects(ready, made.objectsOf(5));

    await expect(pruneFolder(ready, { keep: { last: 1 }, afterPlan })).rejects.toThrow(
      'version 5 of dataset made-00000000 appeared meanwhile: nothing was pruned',
    );
    expect(await allKeys(fileStore(ready))).toEqual([...before, ...made.objectsOf(5).keys()].sort());
  });

  test('into another dataset under the same base stops it as well', async () => {
    const record = JSON.parse(await readFile(join(folder, recordKey(5)), 'utf8')) as Record<string, unknown>;
    const commit = async (call: number): Promise<void> => {
      if (call === 3)
        await writeObjects(folder, new Map([['datasets/other-1/v00000001.json', Buffer.from(JSON.stringify(record))]]));
    };

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, commit) })).rejects.toThrow(
      'version 1 of dataset other-1 appeared meanwhile: no version was removed',
    );
    expect(await versionContent(fileStore(folder), 1)).toEqual(before.get(1));
  });
});

describe('two prunes', () => {
  test('at once end with one that is done, and nothing is lost or left behind', async () => {
    for (let round = 0; round < 5; round++) {
      const copy = await copyOf(folder);

      const ended = await Promise.allSettled([
        pruneFolder(copy),
        pruneFolder(copy),
        pruneFolder(copy, { keep: { last: 1 } }),
      ]);

      const strange = ended.filter(({ status }) => status === 'rejected');
      expect(strange.filter((result) => !('reason' in result && result.reason instanceof ArchiverError))).toEqual([]);
      expect(await versionContent(fileStore(copy), 5)).toEqual(before.get(5));
      // A prune that was beaten to a version may leave a rewritten manifest in an upload that is gone: an abandoned one.
      await pruneFolder(copy, { keep: { last: 1 }, abandonedAfterMs: 0 });
      expect(await allContent(fileStore(copy))).toEqual(new Map([[5, before.get(5)]]));
      expect((await allKeys(fileStore(copy))).filter((key) => /\.bak$|\.compact$|prune-/.test(key))).toEqual([]);
    }
  });

  test('the second takes the rewritten manifest that the first has laid beside the old one', async () => {
    const first = await copyOf(folder);
    await pruneFolder(first);
    // The same document with other bytes, as another version of zlib makes it.
    const other = gzipSync(gunzipSync(await readFile(join(first, linkKey(3)))), { level: 1 });
    await writeObjects(folder, new Map([[`${linkKey(3)}.compact`, other]]));

    await pruneFolder(folder);

    expect((await readFile(join(folder, linkKey(3)))).equals(other)).toBe(true);
    expect(await versionContent(fileStore(folder), 4)).toEqual(before.get(4));
  });

  test.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, 400)],
    ['lacks an entry', (bytes: Buffer) => rewritten(bytes, (text) => text.replace(/\n\{"path":"b.txt".*\n/, '\n'))],
    [
      'has another checksum',
      (bytes: Buffer) => rewritten(bytes, (text) => text.replace(/("path":"b.txt".*"md5":")../, '$100')),
    ],
    [
      'has another chunk',
      (bytes: Buffer) => rewritten(bytes, (text) => text.replace(/("path":"b.txt".*"chunk":)\d/, '$10')),
    ],
    [
      'does not name what it replaces',
      (bytes: Buffer) => rewritten(bytes, (text) => text.replace(/"replaces":\["./, '"replaces":["0')),
    ],
    [
      'splits a group of hard links',
      (bytes: Buffer) => rewritten(bytes, (text) => text.replace(/("path":"dir\/e.txt".*"linkGroup":)\d+/, '$199')),
    ],
  ])('a manifest beside the old one that %s is written anew', async (_what, bend) => {
    const first = await copyOf(folder);
    await pruneFolder(first);
    const good = await readFile(join(first, linkKey(3)));
    const bad = bend(good);
    expect(bad.equals(good)).toBe(false);
    await writeObjects(folder, new Map([[`${linkKey(3)}.compact`, bad]]));

    await pruneFolder(folder);

    expect((await readFile(join(folder, linkKey(3)))).equals(good)).toBe(true);
    expect(await versionContent(fileStore(folder), 4)).toEqual(before.get(4));
  });

  test('a version that another prune removes while it is compacted does not come back', async () => {
    const remove = async (_call: number, what: string): Promise<void> => {
      if (what.endsWith('.compact')) await fileStore(folder).delete([recordKey(4)]);
    };

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, remove) })).rejects.toThrow(
      'version 4 of dataset made-00000000 was removed while its manifest was being replaced',
    );
    expect(await allKeys(fileStore(folder))).not.toContain(recordKey(4));
    expect(await versionContent(fileStore(folder), 5)).toEqual(before.get(5));
  });

  test('a record that somebody else rewrote is not overwritten', async () => {
    const text = await readFile(join(folder, recordKey(5)), 'utf8');
    const touch = async (_call: number, what: string): Promise<void> => {
      if (what.endsWith('.compact'))
        await writeFile(join(folder, recordKey(4)), text.replaceAll('"version":5', '"version":4'));
    };

    await expect(pruneFolder(folder, { wrap: (store) => onMutation(store, touch) })).rejects.toThrow(
      /v00000004.json.* is damaged/,
    );
    expect(await readFile(join(folder, recordKey(4)), 'utf8')).toContain(linkId(4));
  });
});

function rewritten(bytes: Buffer, change: (text: string) => string): Buffer {
  return gzipSync(change(gunzipSync(bytes).toString()));
}

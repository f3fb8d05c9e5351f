// Somebody tags a version while a prune is about to retire it.
import { join } from 'node:path';
import { utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTag, removeTag } from '../../../../src/core/dataset/set-tag.js';
import { RetiredVersion } from '../../../../src/core/dataset/records/tombstone.js';
import { listVersions } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { allContent, allKeys, DATASET, versionContent } from '../../../support/make-dataset.js';
import { copyOf, datasetFolder, killedBefore, onMutation, pruneFolder, stepsOf } from './prune-run.js';

const options = { now: new Date('2026-04-01T00:00:00Z'), signal: new AbortController().signal };
const TAGGED = { datasetId: DATASET, version: 2, tag: 'paper' };
const tag = async (store: WholeStore, asked = TAGGED): Promise<boolean> =>
  await addTag(store, asked, { ...options, deleter: store });
const KEY = `datasets/${DATASET}/tags/v00000002.paper.json`;
const NOTICE = /^datasets\/[^/]+\/prune-/;
let folder = '';
let content: string[] = [];
let steps: readonly string[] = [];
/** The step that puts the notice. */
let retiring = 0;

beforeEach(async () => {
  folder = await datasetFolder();
  content = await versionContent(fileStore(folder), 2);
  steps = await stepsOf(folder);
  retiring = steps.findIndex((step) => NOTICE.test(step.slice('put '.length)));
});

/** True when that was promised; what else can be is that the prune is under way, or was faster. */
async function tagged(at: string): Promise<boolean> {
  try {
    await tag(fileStore(at));
    return true;
  } catch (error) {
    if (/is being pruned|was pruned on/.test(String(error))) return false;
    throw error;
  }
}

/** Prunes, perhaps until it meets the tag. */
const pruned = (at: string, tag: (call: number) => Promise<void>): Promise<unknown> =>
  pruneFolder(at, { wrap: (store) => onMutation(store, tag) }).catch((error: Error) => {
    if (!/version 2 .* was tagged 'paper' meanwhile/.test(error.message)) throw error;
  });

/** What the version says; undefined when it was retired. */
const contentOf = (at: string): Promise<string[] | undefined> =>
  versionContent(fileStore(at), 2).catch((error: unknown) => {
    if (error instanceof RetiredVersion) return undefined;
    throw error;
  });

const noticesIn = async (at: string): Promise<string[]> =>
  (await allKeys(fileStore(at))).filter((key) => NOTICE.test(key));

test('a tagged version is kept, its tag is the reason, and it goes when the tag is gone', async () => {
  const copy = await copyOf(folder);
  const store = fileStore(copy);
  expect([await tag(store), await tag(store)]).toEqual([true, false]);

  const { planned } = await pruneFolder(copy);
  const kept = await allContent(store);
  const untag = async (): Promise<boolean> => await removeTag(store, TAGGED, { ...options, deleter: store });
  expect([await untag(), await untag()]).toEqual([true, false]);
  await pruneFolder(copy);

  expect(planned.kept.map(({ record, reasons }) => [record.version, reasons])).toEqual([
    [2, ['tag paper']],
    [4, ['last']],
    [5, ['latest']],
  ]);
  expect([...kept.keys()]).toEqual([2, 4, 5]);
  expect(kept.get(2)).toEqual(content);
  expect((await listVersions(store, DATASET)).map(({ version }) => version)).toEqual([4, 5]);
  expect(await noticesIn(copy)).toEqual([]);
});

describe('a tag that is put while a prune is under way', () => {
  test('protects its version whenever it was promised, and else the version is whole or retired', async () => {
    const promises: boolean[] = [];
    const marking = steps.findIndex((step) => step.includes('/sweep-'));
    for (let step = retiring - 1; step <= marking; step++) {
      const copy = await copyOf(folder);
      let isTagged = false;
      const tag = async (call: number): Promise<void> => {
        if (call === step) isTagged = await tagged(copy);
      };

      await pruned(copy, tag);

      promises.push(isTagged);
      const now = await contentOf(copy);
      expect([step, isTagged ? now : (now ?? content)]).toEqual([step, content]);
      if (!isTagged) continue;
      expect([step, await allKeys(fileStore(copy))]).toEqual([step, expect.arrayContaining([KEY])]);
    }
    expect(new Set(promises)).toEqual(new Set([true, false]));
  });

  test('and the prune is killed: what was promised holds', async () => {
    for (let step = retiring; step < retiring + 4; step++) {
      const copy = await copyOf(folder);
      await expect(pruneFolder(copy, { wrap: (store) => killedBefore(store, step) })).rejects.toThrow('killed');

      const isTagged = await tagged(copy);
      await pruneFolder(copy);

      expect([step, isTagged]).toEqual([step, step === retiring]); // a notice is there, or the version is gone
      const now = await contentOf(copy);
      expect([step, isTagged ? now : (now ?? content)]).toEqual([step, content]);
    }
  });

  test('one that was refused stays for who finds it there and is told that it holds', async () => {
    const copy = await copyOf(folder);
    await expect(pruneFolder(copy, { wrap: (store) => killedBefore(store, retiring + 1) })).rejects.toThrow('killed');
    const other = fileStore(copy);
    const first = {
      ...other,
      async *list(...call: Parameters<typeof other.list>) {
        yield* other.list(...call);
        // The prune ends, and somebody else tags the version with the same name.
        await other.delete(await noticesIn(copy));
        expect(await tag(other)).toBe(false);
      },
    };

    await expect(tag(first)).rejects.toThrow(/is being pruned/);

    await pruneFolder(copy);
    expect(await versionContent(other, 2)).toEqual(content);
  });

  test('a notice that a prune was killed over hinders nobody two hours later, and goes with the next prune', async () => {
    const copy = await copyOf(folder);
    await expect(pruneFolder(copy, { wrap: (store) => killedBefore(store, retiring + 1) })).rejects.toThrow('killed');
    expect(await tagged(copy)).toBe(false);
    const [notice = ''] = await noticesIn(copy);
    await utimes(join(copy, notice), 1e9, 1e9);

    expect(await tagged(copy)).toBe(true);
    await pruneFolder(copy);
    expect(await noticesIn(copy)).toEqual([]);
    expect(await versionContent(fileStore(copy), 2)).toEqual(content);
  });
});

test('a version that was retired, or never was, cannot be tagged', async () => {
  const copy = await copyOf(folder);
  await pruneFolder(copy);

  await expect(tag(fileStore(copy))).rejects.toThrow(/was pruned on/);
  await expect(tag(fileStore(copy), { ...TAGGED, version: 9 })).rejects.toThrow(/has no version 9/);
  expect((await allKeys(fileStore(copy))).filter((key) => key.includes('/tags/'))).toEqual([]);
});

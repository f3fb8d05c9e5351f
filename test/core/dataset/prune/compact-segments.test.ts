// Compaction into segments: what lies under their keys before, and what happens to them before and after the swap.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { compactVersion } from '../../../../src/core/dataset/prune/compact-version.js';
import { Compactions } from '../../../../src/core/dataset/prune/compactions.js';
import type { ParsedRecord } from '../../../../src/core/dataset/records/version-record-parse.js';
import { readParsedRecord } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, DATASET, makeDataset } from '../../../support/make-dataset.js';
import { smallSegments } from '../../../support/small-segments.js';
import { copyOf, datasetFolder, killedBefore, LINKS, onMutation } from './prune-run.js';

beforeAll(smallSegments());

const KEY = linkKey(3);
const { signal } = new AbortController();
const made = makeDataset(LINKS);
let folder = '';
let before = new Map<number, string[]>();
beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
});

const recordIn = async (at: string): Promise<ParsedRecord> =>
  await readParsedRecord(fileStore(at), { datasetId: DATASET, version: 4 });

async function compactIn(at: string, wrap?: (store: WholeStore) => WholeStore): Promise<void> {
  const store = fileStore(at);
  await compactVersion(wrap?.(store) ?? store, await recordIn(at), signal);
}

const manifestIn = async (at: string): Promise<Buffer> => await readFile(join(at, KEY));

/** Segments that the manifest names, by key relative to its folder. */
async function namedIn(at: string): Promise<readonly string[]> {
  const text = gunzipSync(await manifestIn(at)).toString();
  return (JSON.parse(text) as { segments?: { key: string }[] }).segments?.map(({ key }) => key) ?? [];
}

const segmentsIn = async (at: string): Promise<string[]> =>
  (await allKeys(fileStore(at))).filter((key) => key.includes('/manifest/'));

const markSegments = async (at: string): Promise<boolean> => {
  const objects = (await segmentsIn(at)).map((key) => ({ key, lastModified: new Date() }));
  return await writeMark(fileStore(at), { uploadId: linkId(3), reason: 'superseded', objects }, signal);
};

test('killed before any change, every version reads as before, and the next compaction ends with the same', async () => {
  const end = await copyOf(folder);
  let length = 0;
  await compactIn(end, (store) => onMutation(store, (call) => void (length = call + 1)));
  expect(await allContent(fileStore(end))).toEqual(before);
  expect(await segmentsIn(end)).toEqual((await namedIn(end)).map((key) => `uploads/${linkId(3)}/${key}`));
  expect([length, (await namedIn(end)).length]).toEqual([7, 2]);

  for (let step = 0; step < length; step++) {
    const copy = await copyOf(folder);
    await expect(compactIn(copy, (store) => killedBefore(store, step))).rejects.toThrow('killed');
    expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
    await compactIn(copy);
    expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
    expect([step, await manifestIn(copy)]).toEqual([step, await manifestIn(end)]);
    expect([step, await segmentsIn(copy)]).toEqual([step, await segmentsIn(end)]);
  }
});

test('segments that a killed compaction left and a prune has marked are not named again: others get new numbers', async () => {
  await expect(compactIn(folder, (store) => killedBefore(store, 2))).rejects.toThrow('killed');
  expect(await segmentsIn(folder)).toHaveLength(2);
  await markSegments(folder);

  await compactIn(folder);

  expect((await namedIn(folder)).map((key) => key.slice(0, 15))).toEqual(['manifest/000003', 'manifest/000004']);
  expect(await allContent(fileStore(folder))).toEqual(before);
});

test('a mark that comes before the swap stops it, and the version reads as before', async () => {
  const old = await manifestIn(folder);
  const marking = (store: WholeStore): WholeStore =>
    onMutation(store, async (_, what) => {
      if (what.includes('.compact-')) await markSegments(folder);
    });

  await expect(compactIn(folder, marking)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(
      /^the segment uploads\/.*\/manifest\/000001-.* or a prune has marked it: .* was not/,
    ),
  });

  expect(await manifestIn(folder)).toEqual(old);
  expect(await allContent(fileStore(folder))).toEqual(before);
});

test('one that stood still before the swap until its segments were swept puts them again, or says that they are gone', async () => {
  const sweeping =
    (isAgain: boolean) =>
    (store: WholeStore): WholeStore => ({
      ...onMutation(store, async (_, what) => {
        if (what === `put ${KEY}`) await store.delete(await segmentsIn(folder));
      }),
      ...(isAgain && {
        list: async function* (options) {
          if ((await namedIn(folder)).length > 0) await store.delete(await segmentsIn(folder));
          yield* store.list(options);
        },
      }),
    });
  const other = await copyOf(folder);

  await compactIn(folder, sweeping(false));
  const after = await allContent(fileStore(folder));
  folder = other;

  expect(after).toEqual(before);
  await expect(compactIn(folder, sweeping(true))).rejects.toThrow(
    /is not whole: its manifest names uploads\/.*\/manifest\/000001-/,
  );
});

describe('what was composed for a plan', () => {
  /** Plans, does `meanwhile`, and carries out what was planned; returns the keys that are read for that. */
  async function planned(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<readonly string[]> {
    const store = fileStore(folder);
    const compactions = new Compactions();
    const record = await recordIn(folder);
    await compactions.compose(store, record, { signal });
    await meanwhile();
    const read: string[] = [];
    const noting: WholeStore = {
      ...store,
      get: async (key, options) => {
        read.push(key);
        return await store.get(key, options);
      },
    };
    await compactVersion(noting, record, signal, compactions);
    return read;
  }

  test('is written without reading again what the version builds on', async () => {
    const read = await planned();

    expect(read.filter((key) => [linkKey(0), linkKey(1), linkKey(2)].includes(key))).toEqual([]);
    expect(await namedIn(folder)).toHaveLength(2);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('is the same as what is composed at once', async () => {
    const other = await copyOf(folder);
    await compactIn(other);

    await planned();

    expect(await manifestIn(folder)).toEqual(await manifestIn(other));
  });

  test('is composed anew when a prune has marked its segments meanwhile', async () => {
    await expect(compactIn(folder, (store) => killedBefore(store, 2))).rejects.toThrow('killed');

    await planned(() => markSegments(folder));

    expect((await namedIn(folder)).map((key) => key.slice(0, 15))).toEqual(['manifest/000003', 'manifest/000004']);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('is left when another prune has compacted the version meanwhile', async () => {
    let done: Buffer | undefined;

    await planned(async () => {
      await compactIn(folder);
      done = await manifestIn(folder);
    });

    expect(await manifestIn(folder)).toEqual(done);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });
});

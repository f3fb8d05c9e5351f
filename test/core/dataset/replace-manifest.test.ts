import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../src/core/platform/failures/errors.js';
import { encodeTombstone } from '../../../src/core/dataset/records/tombstone.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { fetchManifest } from '../../../src/core/format/manifest/loaded-manifest.js';
import type { Json } from '../../support/make-archive.js';
import { linkId, linkKey } from '../../support/make-chain.js';
import { allContent, allKeys, DATASET, makeDataset, recordBytes, recordKey } from '../../support/make-dataset.js';
import { copyOf, datasetFolder, killedBefore, LINKS, onMutation } from './prune/prune-run.js';
import { replaceIn, successorOf } from './replace-run.js';

const KEY = linkKey(0);
const made = makeDataset(LINKS);
const OLD = made.objects.get(KEY) ?? Buffer.alloc(0);
const NEXT = successorOf(OLD);
const eight = (bytes: Buffer): string => hash('sha256', bytes, 'hex').slice(0, 8);
const BESIDE = `${KEY}.balance-${eight(NEXT.bytes)}`;
const BACKUP = `${KEY}.${eight(OLD)}.pre-balance.bak`;

let folder = '';
let before = new Map<number, string[]>();
beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
});

const keys = (at = folder): Promise<string[]> => allKeys(fileStore(at));
const object = (key: string, at = folder): Promise<Buffer> => readFile(join(at, key));
const recordIn = async (at = folder): Promise<Json> => JSON.parse((await object(recordKey(1), at)).toString()) as Json;
const stepsIn = async (at: string): Promise<string[]> => {
  const steps: string[] = [];
  await replaceIn(at, { wrap: (store) => onMutation(store, (_, what) => void steps.push(what)) });
  return steps;
};
/** Does this right before the change is made, after whoever makes it looked. */
const meanwhile =
  (what: string, act: () => Promise<unknown>) =>
  (store: WholeStore): WholeStore =>
    onMutation(store, async (_, step) => {
      if (step === what) await act();
    });

describe('a replaced manifest', () => {
  test('is written beside, the old one put aside, the record names both, the swap, the record names the new one', async () => {
    const all = await keys();

    expect(await stepsIn(folder)).toEqual([
      `put ${BESIDE}`,
      `put ${BACKUP}`,
      `put ${recordKey(1)}`,
      `put ${KEY}`,
      `put ${recordKey(1)}`,
    ]);

    expect(await keys()).toEqual([...all, BESIDE, BACKUP].toSorted());
    expect([await object(KEY), await object(BACKUP)]).toEqual([NEXT.bytes, OLD]);
    const record = await recordIn();
    expect([record['manifestSha256'], 'replacementSha256' in record]).toEqual([NEXT.sha256, false]);
    expect(await allContent(fileStore(folder))).toEqual(before);
  });

  test('gives the key of the copy of the old one, and the record what it is to say', async () => {
    const totals = { ...(made.manifests[0]?.['totals'] as Json), files: 77 };

    const backup = await replaceIn(folder, { change: { totals: totals as never } });

    expect(backup).toBe(BACKUP);
    expect((await recordIn())['totals']).toEqual(totals);
  });

  test('is readable before each change of a killed run, and the next run comes to the same end', async () => {
    const end = await copyOf(folder);
    const { length } = await stepsIn(end);

    for (let step = 0; step < length; step++) {
      const copy = await copyOf(folder);
      await expect(replaceIn(copy, { wrap: (store) => killedBefore(store, step) })).rejects.toThrow('killed');
      expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
      const swapped = (await object(KEY, copy)).equals(NEXT.bytes);
      await replaceIn(copy, swapped ? { next: NEXT } : {});
      expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
      expect([step, await object(KEY, copy), await recordIn(copy)]).toEqual([step, NEXT.bytes, await recordIn(end)]);
    }
  });

  test('is not replaced when the new one does not stand up to being read in its place', async () => {
    const verify = (): Promise<void> => Promise.reject(new ArchiverError('integrity', 'another archive'));

    await expect(replaceIn(folder, { verify })).rejects.toThrow('another archive');

    expect([await object(KEY), await object(recordKey(1))]).toEqual([OLD, made.objects.get(recordKey(1))]);
  });

  test('is seen in its place by what verifies it, while everybody else sees the old one', async () => {
    const seen: Buffer[] = [];

    await replaceIn(folder, {
      verify: async (asItWillBe) => {
        seen.push(await fetchManifest(asItWillBe, linkId(0)), await object(KEY));
        expect((await asItWillBe.head(KEY))?.sizeBytes).toBe(NEXT.bytes.length);
      },
    });

    expect(seen).toEqual([NEXT.bytes, OLD]);
  });

  test('is also put where none is, unless somebody puts another one there', async () => {
    await rm(join(folder, KEY));
    const run = { next: NEXT, replaced: undefined };
    const missing = (store: WholeStore): WholeStore => ({
      ...store,
      // The look of `replaceIn`; what follows is the one of `replaceManifest`.
      get: async (key, options) =>
        key === KEY && looks++ === 0 ? await store.get(linkKey(1), options) : await store.get(key, options),
    });
    let looks = 0;
    const rival = await copyOf(folder);
    const act = (): Promise<unknown> => fileStore(rival).put(KEY, OLD);

    expect(await replaceIn(folder, { ...run, wrap: missing })).toBeUndefined();
    looks = 0;
    const beaten = replaceIn(rival, { ...run, wrap: (store) => meanwhile(`put ${KEY}`, act)(missing(store)) });

    await expect(beaten).rejects.toMatchObject({ code: 'conflict' });
    expect([await object(KEY), await object(KEY, rival)]).toEqual([NEXT.bytes, OLD]);
  });
});

describe('a process that was suspended', () => {
  const other = successorOf(OLD, 'somebody else').bytes;

  test.each([`put ${BESIDE}`, `put ${BACKUP}`, `put ${recordKey(1)}`, `put ${KEY}`])(
    'before "%s" does not replace a manifest that has taken the place of the one it looked at',
    async (step) => {
      const wrap = meanwhile(step, () => replaceIn(folder, { name: 'somebody else' }));

      await expect(replaceIn(folder, { wrap })).rejects.toMatchObject({ code: 'conflict' });

      expect(await object(KEY)).toEqual(other);
      expect(await allContent(fileStore(folder))).toEqual(before);
    },
  );

  test('before it looks again finds another manifest than the one that its caller read', async () => {
    await fileStore(folder).put(KEY, other);
    const replaced = { bytes: OLD, sha256: hash('sha256', OLD, 'hex') };

    await expect(replaceIn(folder, { replaced, next: NEXT })).rejects.toMatchObject({ code: 'conflict' });

    expect(await object(KEY)).toEqual(other);
  });

  test('does not bring back a manifest that was removed', async () => {
    const wrap = meanwhile(`put ${KEY}`, () => rm(join(folder, KEY)));

    await expect(replaceIn(folder, { wrap })).rejects.toMatchObject({ code: 'conflict' });

    expect(await keys()).not.toContain(KEY);
  });

  test('does not bring back a record that was removed, before it looks or after', async () => {
    for (const step of [`put ${BACKUP}`, `put ${recordKey(1)}`, `put ${KEY}`]) {
      const copy = await copyOf(folder);
      const wrap = meanwhile(step, () => rm(join(copy, recordKey(1))));

      await expect(replaceIn(copy, { wrap })).rejects.toThrow(/version 1 .* was removed while its manifest was/);

      expect([step, (await keys(copy)).includes(recordKey(1))]).toEqual([step, false]);
    }
  });

  test('does not bring back a record that was retired, before it looks or after', async () => {
    const retiredAt = '2026-03-04T05:06:07.000Z';
    const tombstone = encodeTombstone({ datasetId: DATASET, version: 1, uploadId: linkId(0), retiredAt });
    for (const step of [`put ${BACKUP}`, `put ${recordKey(1)}`, `put ${KEY}`]) {
      const copy = await copyOf(folder);
      const wrap = meanwhile(step, () => fileStore(copy).put(recordKey(1), tombstone));

      await expect(replaceIn(copy, { wrap })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(/version 1 .* was retired while its manifest was being replaced/) as string,
      });

      expect([step, await object(recordKey(1), copy)]).toEqual([step, tombstone]);
    }
  });

  test('does not overwrite a record that names another manifest since it was read', async () => {
    const { digest: _digest, ...document } = await recordIn();
    const theirs = recordBytes({ ...document, manifestSha256: 'a'.repeat(64) });
    const wrap = meanwhile(`put ${recordKey(1)}`, () => fileStore(folder).put(recordKey(1), theirs));

    await expect(replaceIn(folder, { wrap })).rejects.toThrow(/version 1 .* was rewritten by another process/);

    expect(await object(recordKey(1))).toEqual(theirs);
    expect(await object(KEY)).toEqual(OLD);
  });

  test('keeps what somebody else wrote into the record since it was read', async () => {
    const { digest: _digest, ...document } = await recordIn();
    const theirs = recordBytes({ ...document, colour: 'blue' });
    let acts = 0;
    const act = async (): Promise<unknown> => acts++ || (await fileStore(folder).put(recordKey(1), theirs));

    await replaceIn(folder, { wrap: meanwhile(`put ${recordKey(1)}`, act) });

    expect(await recordIn()).toMatchObject({ colour: 'blue', manifestSha256: NEXT.sha256 });
  });

  test('replaces nothing when more than an hour has passed since it looked, by whichever way the clock went', async () => {
    for (const ms of [3_600_001, -3_600_001]) {
      let calls = 0;

      await expect(replaceIn(folder, { now: () => 1e12 + ms * calls++ })).rejects.toThrow(
        `${KEY} was not replaced: more than an hour has passed since it was looked at`,
      );

      expect(await object(KEY)).toEqual(OLD);
      expect(await allContent(fileStore(folder))).toEqual(before);
    }
    let calls = 0;
    await replaceIn(folder, { now: () => 1e12 + 3_599_000 * calls++ });
    expect(await object(KEY)).toEqual(NEXT.bytes);
  });
});

test('a swap or a record whose answer was lost is no rival of itself', async () => {
  const puts: string[] = [];
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      const answer = await store.put(key, body, options);
      if (options?.ifMatch === undefined) return answer;
      puts.push(key);
      throw new StoreError('conflict', 'the object has changed', { afterRetry: true });
    },
  });

  await replaceIn(folder, { wrap });

  expect(puts).toEqual([recordKey(1), KEY, recordKey(1)]);
  expect([await object(KEY), (await recordIn())['manifestSha256']]).toEqual([NEXT.bytes, NEXT.sha256]);
});

describe('two at once', () => {
  test('one wins, and the record names what is there', async () => {
    for (let round = 0; round < 8; round++) {
      const copy = await copyOf(folder);

      const ended = await Promise.allSettled(['a', 'b', 'c'].map((name) => replaceIn(copy, { name })));

      const failed = ended.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(failed.every((error) => error instanceof ArchiverError && error.code === 'conflict')).toBe(true);
      expect(await allContent(fileStore(copy))).toEqual(before);
      const there = await object(KEY, copy);
      expect(['a', 'b', 'c'].some((name) => successorOf(OLD, name).bytes.equals(there))).toBe(true);
    }
  });

  test('of those that write the same bytes each ends well', async () => {
    const wrap = meanwhile(`put ${KEY}`, () => replaceIn(folder));

    expect(await replaceIn(folder, { wrap })).toBe(BACKUP);

    expect([await object(KEY), (await recordIn())['manifestSha256']]).toEqual([NEXT.bytes, NEXT.sha256]);
  });
});

// Which stores keep If-None-Match is asked, not assumed (rules.md#asked-stores).
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { archiveFolder } from '../../../../src/core/archive/archive-folder.js';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import type { EventSink } from '../../../../src/core/events/events.js';
import { PACED_SLICE_BYTES } from '../../../../src/core/platform/limits/pace.js';
import { probeCreateOnce } from '../../../../src/core/store/create-once/probe.js';
import type { ObjectDeleter, ObjectStore, PutOptions } from '../../../../src/core/store/object-store.js';
import type { OpenedStore, OpenStoreOptions } from '../../../../src/core/store/open-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { listDatasets, listVersions } from '../../../../src/core/dataset/records/versions.js';
import { errorAnswer, type IfNoneMatch, type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, type OpenedWhole, useTestCredentials } from '../../../support/open-s3.js';
import { raw } from '../../../support/raw.js';
import { withAccess } from '../../archive/upload-folder.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { writeOnlyStore } from '../../../support/write-only-store.js';

let s3: MemoryS3;
let home: string;
let source: string;

beforeAll(useTestCredentials);
beforeEach(async () => {
  s3 = await startMemoryS3('bucket', 'other');
  onTestFinished(() => s3.close());
  const folder = await tempFolder();
  [home, source] = [join(folder, 'home'), join(folder, 'source')];
  mkdirSync(source);
  writeFileSync(join(source, 'file'), 'content');
});

const open = (options: Partial<OpenStoreOptions> & { prefix?: string } = {}, bucket = 'bucket'): Promise<OpenedWhole> =>
  openTestS3(s3.endpoint, bucket, { prefix: 'p', createOnce: 'auto', ...options });

const notes: string[] = [];
const upload = async (store: OpenedStore, more: object = {}): Promise<UploadResult> => {
  notes.length = 0;
  return await archiveFolder({
    store,
    source: raw(source),
    home,
    packing: { workers: 1 },
    emit: (event) => void (event.type === 'note' && notes.push(event.text)),
    signal: new AbortController().signal,
    ...more,
  });
};

const keys = (): string[] => [...(s3.buckets.get('bucket')?.keys() ?? [])];
const probes = (): number => s3.requests.filter(({ path }) => /\/create-once-[0-9a-f]{16}/.test(path)).length;
const later = (days: number) => ({ now: () => new Date(Date.now() + days * 86_400_000) });

describe('a store that keeps If-None-Match', () => {
  test('is asked once, and nothing of that stays but one small object', async () => {
    await upload(await open());
    const asked = probes();
    await upload(await open());

    expect(asked).toBe(2 + 4 * 8);
    expect(probes()).toBe(asked);
    expect(keys().filter((key) => key.includes('create-once'))).toEqual(['p/create-once.json']);
    expect(JSON.parse(String(s3.buckets.get('bucket')?.get('p/create-once.json')?.body))).toMatchObject({
      type: 'archiver-create-once',
      kind: 'create-once',
      place: `${s3.endpoint} bucket`,
    });
  });

  test('is not asked by another computer, which reads what the store says', async () => {
    await upload(await open());
    const asked = probes();
    await upload(await open(), { home: `${home}-2` });
    const [file = ''] = readdirSync(`${home}-2/create-once`);

    expect(probes()).toBe(asked);
    expect(readFileSync(`${home}-2/create-once/${file}`, 'utf8')).toContain('"kind":"create-once"');
  });

  test('is asked again after 30 days', async () => {
    await upload(await open());
    const asked = probes();
    await upload(await open(), later(29));
    expect(probes()).toBe(asked);
    await upload(await open(), later(31));
    expect(probes()).toBe(2 * asked);
    await upload(await open(), { ...later(31), home: `${home}-2` });
    expect(probes()).toBe(2 * asked);
  });

  test('and its copy in another bucket is asked by itself', async () => {
    await upload(await open());
    const asked = probes();
    for (const [key, object] of s3.buckets.get('bucket') ?? []) s3.buckets.get('other')?.set(key, object);
    await upload(await open({}, 'other'));

    expect(probes()).toBe(2 * asked);
  });

  test('may say 409 to rivals, which try again', async () => {
    s3.conditions.ifNoneMatch = 'busy';
    const reasons: string[] = [];
    const onEvent: EventSink = (event) => void (event.type === 'retry' && reasons.push(event.reason));
    const retry = { baseDelayMs: 10, maxDelayMs: 1000, onEvent }; // all attempts together outlast the one that is under way

    expect(await upload(await open({ retry }))).toMatchObject({ version: 1 });
    expect(reasons).toContainEqual(expect.stringContaining('ConditionalRequestConflict'));
  });

  test('whose note is damaged is asked', async () => {
    s3.buckets
      .get('bucket')
      ?.set('p/create-once.json', { body: Buffer.from('{'), etag: 'x', modified: new Date(), headers: {} });

    expect(await upload(await open())).toMatchObject({ version: 1 });
    expect(probes()).toBe(2 + 4 * 8);
    await upload(await open(), { home: `${home}-2` });
    expect(probes()).toBe(2 + 4 * 8);
  });

  test('learns of a writer that may only put by a few small objects in the folder of its upload', async () => {
    const opened = await open();
    const denied: string[] = [];
    const store = writeOnlyStore(opened.store, denied);
    const { uploadId } = await upload({ ...opened, store, deleter: store });
    await upload({ ...opened, store, deleter: store });

    const left = keys().filter((key) => /create-once-/.test(key));
    expect(left).toHaveLength(5);
    expect(left.every((key) => key.startsWith(`p/uploads/${uploadId}/create-once-`))).toBe(true);
    expect(notes.filter((text) => text.includes('create-once'))).toEqual([]);
  });

  test('is not asked where somebody vouches for it', async () => {
    await upload(await open({ createOnce: 'yes' }));

    expect(keys().filter((key) => key.includes('create-once'))).toEqual([]);
  });

  test('is not asked by a dry run', async () => {
    await upload(await open(), { dryRun: true });

    expect(keys()).toEqual([]);
  });
});

describe('a plain store', () => {
  const cases: readonly [IfNoneMatch, RegExp][] = [
    ['ignored', /overwrote an object in spite of If-None-Match/],
    ['unknown', /does not know If-None-Match \(NotImplemented\)/],
    ['in a row', /of 8 rivals at one key it accepted [2-8]/],
  ];

  test.each(cases)('where the header is %s is written to without conditions, and found out once', async (how, seen) => {
    s3.conditions.ifNoneMatch = how;

    const { uploadId } = await upload(await open());
    const asked = probes();
    const { length } = s3.requests;
    writeFileSync(join(source, 'more'), 'more');
    const sync = { dataset: { changes: { trackDeletes: false } } };
    expect(await upload(await open(), sync)).toMatchObject({ version: 2 });

    expect(probes()).toBe(asked);
    expect(keys()).toContain(`p/datasets/${(await listed())[0]?.datasetId}/v00000001.${uploadId}.json`);
    expect(s3.requests.slice(length).filter(({ headers }) => 'if-none-match' in headers)).toEqual([]);
    expect(JSON.parse(String(s3.buckets.get('bucket')?.get('p/create-once.json')?.body))).toMatchObject({
      kind: 'plain',
      seen: expect.stringMatching(seen),
    });
  });

  const listed = async () => {
    const { store } = await open();
    return [...(await listDatasets(store)).versions.values()].flat();
  };

  test('that may not be listed is not written to, unless somebody vouches for it', async () => {
    s3.conditions.ifNoneMatch = 'ignored';
    const blind = async (options: Partial<OpenStoreOptions> = {}): Promise<OpenedStore> => {
      const opened = await open(options);
      return { ...opened, store: withAccess(opened.store, 'may neither read nor list', () => '') };
    };

    await expect(upload(await blind())).rejects.toMatchObject({ code: 'plain-store', exitCode: 4 });
    expect(keys().filter((key) => !key.includes('create-once'))).toEqual([]);
    expect(await upload(await blind({ createOnce: 'yes' }))).toMatchObject({ version: 1 });
  });

  test('two rivals there make a fork, and both versions are there', async () => {
    s3.conditions.ifNoneMatch = 'ignored';
    const dataset = { id: 'lab-00000001' };
    await upload(await open(), { dataset });
    const both = await Promise.all([
      upload(await open(), { dataset, home: `${home}-2` }),
      upload(await open(), { dataset, home: `${home}-3` }),
    ]);

    const ids = (await listed()).map(({ uploadId }) => uploadId);
    expect(ids).toEqual(expect.arrayContaining(both.map(({ uploadId }) => uploadId)));
  });

  test('that is taken for another one loses a rival of two', async () => {
    s3.conditions.ifNoneMatch = 'ignored';
    const vouched = () => open({ createOnce: 'yes' });
    const dataset = { id: 'lab-00000001' };
    await upload(await vouched(), { dataset });
    const both = await Promise.all([
      upload(await vouched(), { dataset, home: `${home}-2` }),
      upload(await vouched(), { dataset, home: `${home}-3` }),
    ]);

    const versions = await listVersions((await vouched()).store, 'lab-00000001');
    expect([both.map(({ version }) => version), versions.length]).toEqual([[2, 2], 2]);
  });

  test('is one where that is said, and is not asked', async () => {
    const { uploadId } = await upload(await open({ createOnce: 'no' }));

    expect(keys()).toContain(`p/datasets/${(await listed())[0]?.datasetId}/v00000001.${uploadId}.json`);
    expect(probes()).toBe(0);
  });
});

test('a store that cannot be asked is not written to', async () => {
  const opened = await open();
  const put: OpenedStore['store']['put'] = (key, body, options) =>
    key.includes('create-once-') ? Promise.reject(new Error('503')) : opened.store.put(key, body, options);

  await expect(upload({ ...opened, store: { ...opened.store, put } })).rejects.toThrow('503');
  expect(keys()).toEqual([]);
});

test('a store that was not reached when it was asked may be asked again', async () => {
  const { store, deleter } = await open();
  s3.rules.answer = (operation) => (operation === 'PutObject' ? errorAnswer(503, 'SlowDown') : undefined);
  const { signal } = new AbortController();

  const asking = probeCreateOnce(store, { folder: 'f/', randomBytes, isAws: false, deleter, signal });

  await expect(asking).rejects.toMatchObject({
    message: expect.stringContaining('keeps If-None-Match could not be found out') as string,
    retriable: true,
  });
});

test('a busy server that looks as late as whole requests may be there is still seen to look before it puts', async () => {
  const there = new Set<string>();
  const store = {
    url: 's3://bucket',
    async put(key: string, _body: Uint8Array, { pace = async () => {} }: PutOptions = {}) {
      // It reads 10 ms after the first bytes came; what has come whole by then is looked at and put in one go.
      const reading = new Promise<boolean>((resolve) => setTimeout(() => resolve(there.has(key)), 10));
      await pace(PACED_SLICE_BYTES);
      await pace(1);
      if (await reading) throw new StoreError('conflict', 'it is there');
      there.add(key);
      return { etag: '' };
    },
  };
  const deleter: Partial<ObjectDeleter> = { delete: async () => [] };
  const signal = new AbortController().signal;
  const options = { folder: 'uploads/1/', randomBytes, isAws: false, signal, deleter: deleter as ObjectDeleter };

  expect(await probeCreateOnce(store as unknown as ObjectStore, options)).toMatchObject({ kind: 'plain' });
});

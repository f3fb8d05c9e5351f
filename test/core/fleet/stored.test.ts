import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { configFactsOf } from '../../../src/core/fleet/watch/config-facts.js';
import type { SeenStore } from '../../../src/core/fleet/watch/observation.js';
import { type Claim, claimsOf, readStored } from '../../../src/core/fleet/watch/stored.js';
import { TOMBSTONE_BYTES } from '../../../src/core/dataset/records/tombstone-bytes.js';
import { recordKey } from '../../../src/core/dataset/records/version-record.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ListOptions, ObjectInfo, ObjectReader } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { putAt, putRecord } from '../../support/fleet.js';
import { heartbeatSource } from '../../support/heartbeat.js';
import { tempFolder } from '../../support/temp-folder.js';

const { signal } = new AbortController();
const DAY = 86_400_000;
let base = '';
let store: ObjectReader;

beforeEach(async () => {
  base = join(await tempFolder(), 'store');
  store = fileStore(base, {});
});

const look = (on: ObjectReader, ...claims: Claim[]): Promise<SeenStore> => readStored(on, 'web-01', claims, signal);

test('the newest version of each dataset, when the store got it, and how often it gets one', async () => {
  const put = (datasetId: string, version: number, day: number): Promise<void> =>
    putRecord(base, 'web-01', { datasetId, version }, `2026-03-0${day}T05:00:00Z`);
  for (const day of [1, 2, 3, 5]) await put('logs-1a2b3c4d', day, day);
  await put('www-1a2b3c4d', 12, 4);
  await putRecord(base, 'web-02', { datasetId: 'other-1a2b3c4d', version: 1 }, '2026-03-06T05:00:00Z');
  await putAt(base, 'writers/web-01/datasets/logs-1a2b3c4d/v00000009.txt', 'no record', '2026-03-06T05:00:00Z');
  const retired = recordKey({ datasetId: 'logs-1a2b3c4d', version: 6 });
  await putAt(base, `writers/web-01/${retired}`, 'x'.repeat(TOMBSTONE_BYTES), '2026-03-06T05:00:00Z');

  const seen = await look(store);

  expect(seen).toMatchObject({
    kind: 'seen',
    isWhole: true,
    datasets: [
      { datasetId: 'logs-1a2b3c4d', version: 5, storedAt: new Date('2026-03-05T05:00:00Z'), storedEveryMs: DAY },
      { datasetId: 'www-1a2b3c4d', version: 12, storedEveryMs: null },
    ],
  });
  // A number that was retired is still one that was there.
  expect(seen.kind === 'seen' && seen.datasets[0]?.recordTimes.has(6)).toBe(true);
});

test('where listing is denied it is said, and other failures are failures', async () => {
  const failing = (error: Error): ObjectReader => ({
    ...store,
    list: () => {
      throw error;
    },
  });
  expect(await look(failing(new StoreError('access-denied', 'listing is denied')))).toEqual({
    kind: 'unseen',
    reason: 'listing is denied',
  });
  await expect(look(failing(new StoreError('store', 'the store answered 503')))).rejects.toThrow('503');
});

describe('a writer with more than a thousand records', () => {
  /** Three datasets of a thousand versions each, in pages of a thousand; `asked` grows with each page. */
  const large = (asked: ListOptions[]): ObjectReader => ({
    ...store,
    async *list(options: ListOptions = {}) {
      const { prefix = '', startAfter = '' } = options;
      const keys = ['a', 'b', 'c'].flatMap((datasetId) =>
        Array.from({ length: 1000 }, (_, at) => `writers/web-01/${recordKey({ datasetId, version: at + 1 })}`),
      );
      const found = keys.filter((key) => key.startsWith(prefix) && key > startAfter);
      for (let start = 0; start === 0 || start < found.length; start += 1000) {
        asked.push(options);
        const lastModified = new Date(Date.parse('2026-03-01T00:00:00Z') + start);
        const objects = found
          .slice(start, start + 1000)
          .map((key): ObjectInfo => ({ key, sizeBytes: 900, etag: key, lastModified, storageClass: 'STANDARD' }));
        yield { objects, prefixes: [] };
      }
    },
  });

  test('takes one LIST more for each dataset that its heartbeat speaks of, from there on', async () => {
    const asked: ListOptions[] = [];

    const seen = await look(large(asked), { datasetId: 'c', version: 998 }, { datasetId: 'a', version: 1000 });

    expect(seen).toMatchObject({
      isWhole: false,
      datasets: [
        { datasetId: 'c', version: 1000 },
        { datasetId: 'a', version: 1000 },
      ],
    });
    expect(asked.length).toBe(2 + 2);
    expect(asked.at(-1)?.startAfter).toBe('writers/web-01/datasets/a/v00000979.json');
  });

  test('shows its newest version also where the heartbeat speaks of one that is far ahead', async () => {
    const asked: ListOptions[] = [];

    const seen = await look(large(asked), { datasetId: 'b', version: 50_000 });

    expect(seen).toMatchObject({ datasets: [{ datasetId: 'b', version: 1000 }] });
    expect(asked.length).toBeLessThanOrEqual(5);
  });

  test('is not listed for each of more datasets than a config has folders', async () => {
    const asked: ListOptions[] = [];
    const claims = Array.from({ length: 1001 }, (_, at) => ({ datasetId: `d${at}`, version: 1 }));

    expect(await look(large(asked), ...claims)).toEqual({
      kind: 'unseen',
      reason: 'its heartbeat speaks of 1001 datasets',
    });
    expect(asked.length).toBe(2);
  });
});

test('a heartbeat speaks of the highest version of a dataset, and of nothing with another name', () => {
  const sources = [
    heartbeatSource({ version: 3 }),
    heartbeatSource({ version: 9 }),
    heartbeatSource({ datasetId: '../x' }),
    heartbeatSource({ datasetId: null, version: null }),
  ];
  expect(claimsOf({ sources })).toEqual([{ datasetId: 'data-1a2b3c4d', version: 9 }]);
});

describe('a stored config', () => {
  test.each([
    ['scan_interval: 1h\n', { intervalMs: 3_600_000 }],
    ['scan_interval: "1h30m" # often\r\n', { intervalMs: 5_400_000 }],
    ['scan_interval: 0\n', { intervalMs: undefined }],
    ['  scan_interval: 1h\n', { intervalMs: undefined }],
    ['scan_interval: soon\n', { intervalMs: undefined }],
    ['store: "s3://acme/lab"\n', { storeUrl: 's3://acme/lab' }],
    ["store: 's3://acme/lab'\n", { storeUrl: 's3://acme/lab' }],
    ['store: file:///mnt/backup\n', { storeUrl: 'file:///mnt/backup' }],
    ['s3_config:\n  region: x\n  prefix: lab\n  bucket: "acme"\nname: y\n', { storeUrl: 's3://acme/lab' }],
    ['s3_config:\n  bucket: acme\n', { storeUrl: 's3://acme' }],
    ['watch_paths:\n  bucket: acme\n', { storeUrl: undefined }],
    ['', { version: undefined, intervalMs: undefined, storeUrl: undefined }],
  ])('says in %j', (text, facts) => {
    expect(configFactsOf(Buffer.from(text))).toMatchObject(facts);
  });

  test.each([' ', 'a', 's3_config:\n  ', 'store: "', '\n'])('of many %j is read at once', (part) => {
    const started = performance.now();
    configFactsOf(Buffer.from(part.repeat(Math.floor(1_000_000 / part.length))));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

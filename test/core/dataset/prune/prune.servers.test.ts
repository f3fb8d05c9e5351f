// Pruning on real S3 servers: conditional writes, overwrites and batch deletes as they do them.
import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { planPrune } from '../../../../src/core/dataset/prune/plan-prune.js';
import { prune } from '../../../../src/core/dataset/prune/prune.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { allContent, allKeys, DATASET, makeDataset } from '../../../support/make-dataset.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { LINKS } from './prune-run.js';

const BUCKET = 'archiver-prune';
const made = makeDataset(LINKS);

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('%s', (_name, variable) => {
  const endpoint = process.env[variable] ?? '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  async function datasetStore(): Promise<WholeStore> {
    const { store } = await openTestS3(endpoint, BUCKET);
    for (const [key, bytes] of made.objects) await store.put(key, bytes);
    return store;
  }

  async function pruneStore(store: WholeStore, last: number): Promise<void> {
    const options = {
      datasetId: DATASET,
      keep: { last },
      abandonedAfterMs: 7 * 86_400_000,
      graceMs: 0,
      now: new Date(),
      // What is kept is smaller than what is retired.
      allowMassDelete: true,
      signal: new AbortController().signal,
    };
    const plan = await planPrune(store, options);
    await prune(store, { ...options, plan, deleter: store, randomBytes });
  }

  test('the newest versions stay as they were, and nothing is left behind', async () => {
    const store = await datasetStore();
    const before = await allContent(store);

    await pruneStore(store, 2);

    expect(await allContent(store)).toEqual(new Map([4, 5].map((version) => [version, before.get(version)])));
    const keys = await allKeys(store);
    expect(keys).toHaveLength(14); // three of them tombstones
    expect(keys.filter((key) => /\.bak$|\.compact-|sweep-/.test(key))).toEqual([]);
  });

  test('two prunes at once leave the kept version whole', async () => {
    const store = await datasetStore();
    const before = await allContent(store);

    const ended = await Promise.allSettled([pruneStore(store, 1), pruneStore(store, 1)]);
    await pruneStore(store, 1);

    expect(ended.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await allContent(store)).toEqual(new Map([[5, before.get(5)]]));
  });
});

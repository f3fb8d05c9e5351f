// Storage classes and requests, over HTTP.
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { balance } from '../../../../src/core/mend/balance/balance.js';
import type { BalancePlan } from '../../../../src/core/mend/balance/plan-balance.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { linkId } from '../../../support/make-chain.js';
import { allContent, type MadeDataset } from '../../../support/make-dataset.js';
import type { OpenedWhole } from '../../../support/open-s3.js';
import { lonely, madeFor } from './balance-run.js';

const s3 = useBrokenS3();
let made: MadeDataset;
beforeEach(() => {
  made = lonely();
});

const balanced = ({ store, lock }: OpenedWhole): Promise<BalancePlan> =>
  balance(store, {
    uploadId: linkId(0),
    threshold: 1.5,
    randomBytes,
    signal: new AbortController().signal,
    requestsAtOnce: 4,
    lock,
  });
const isChunk = (key: string): boolean => key.includes('/chunk-');

test('chunks outside of STANDARD stay where they are, cold or not; the others move by copies in the store', async () => {
  const chunks = [...made.objects.keys()].filter(isChunk);
  const classes = new Map([
    [chunks[0], 'GLACIER'],
    [chunks[1], 'STANDARD_IA'],
  ]);
  for (const [key, body] of made.objects) s3.put(key, body, classes.get(key));
  const opened = await s3.open();

  const plan = await balanced(opened);

  expect(plan.staying).toMatchObject([{ reason: 'storage-class', chunks: 2 }]);
  expect(plan.moves.length).toBeGreaterThan(0);
  expect(opened.requests.copy).toBe(plan.moves.length);
  // Nothing can be locked there: of no chunk is asked whether it is.
  expect(s3.server.requests.filter(({ operation, path }) => operation === 'HeadObject' && isChunk(path))).toEqual([]);
  const objects = s3.server.buckets.get('bucket');
  for (const [key, storageClass] of classes)
    expect(objects?.get(`p/${key}`)?.headers['x-amz-storage-class']).toBe(storageClass);
  for (const { from, to } of plan.moves) {
    expect(objects?.get(`p/${from}`)?.body).toEqual(made.objects.get(from));
    expect(objects?.get(`p/${to}`)?.body).toEqual(made.objects.get(from));
  }
});

test('copies are encrypted with the key that the chunks were encrypted with', async () => {
  made = lonely((manifest) => {
    madeFor(4)(manifest);
    manifest['storage'] = { bucket: 'bucket', kmsKeyId: 'alias/lab' };
  });
  for (const [key, body] of made.objects) s3.put(key, body);
  const opened = await s3.open();

  const plan = await balanced(opened);

  const copies = s3.server.requests.filter(({ headers }) => headers['x-amz-copy-source'] !== undefined);
  expect(
    copies.slice(-plan.moves.length).map(({ headers }) => headers['x-amz-server-side-encryption-aws-kms-key-id']),
  ).toEqual(plan.moves.map(() => 'alias/lab'));
});

test('copies, the manifest and the record are locked as what they stand in for, and nothing else is', async () => {
  for (const [key, body] of made.objects) s3.put(key, body);
  const opened = await s3.open();
  s3.server.lockable.add('bucket');
  const until = new Date(Date.now() + 86_400_000).toISOString();
  const headers = { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': until };
  for (const object of s3.server.buckets.get('bucket')?.values() ?? []) Object.assign(object.headers, headers);
  const before = s3.server.requests.length;

  const plan = await balanced(opened);

  const writes = s3.server.requests.slice(before).filter(({ operation }) => /^(?:Put|Copy)Object$/.test(operation));
  const locked = writes.filter(({ headers }) => headers['x-amz-object-lock-mode'] === 'COMPLIANCE');
  const untils = new Set(locked.map(({ headers }) => headers['x-amz-object-lock-retain-until-date']));
  expect(Array.from(untils, (text) => Date.parse(String(text)))).toEqual([Date.parse(until)]);
  expect(locked.filter(({ operation }) => operation === 'CopyObject')).toHaveLength(plan.moves.length);
  const names = (some: typeof writes): readonly string[] =>
    some.flatMap(({ operation, path }) => (operation === 'PutObject' ? [path.replace(/^.*\//, '')] : []));
  const isPlace = (name: string): boolean => /^(?:manifest\.json\.gz|v\d+\.json)(?:\?|$)/.test(name);
  expect(names(locked).every(isPlace)).toBe(true);
  expect(names(locked).length).toBeGreaterThan(0);
  const unlocked = writes.filter((write) => !locked.includes(write));
  expect(names(unlocked).some(isPlace)).toBe(false);
});

test('every version reads as before', async () => {
  for (const [key, body] of made.objects) s3.put(key, body);
  const opened = await s3.open();
  const before = await allContent(opened.store);

  await balanced(opened);

  expect(await allContent(opened.store)).toEqual(before);
});

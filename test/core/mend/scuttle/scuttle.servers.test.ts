// What only real servers can tell: their listings of versions, and what deleting a version does there.
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { fill, FOREIGN, ID, keysOf, OURS, scuttle, versionsOf } from './wipe-cases.js';

const SERVERS = [
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
] as const;
const BUCKETS = { plain: 'scuttle-plain', versioned: 'scuttle-versioned', suspended: 'scuttle-suspended' };

function endpointOf(variable: string): string {
  const endpoint = process.env[variable];
  if (endpoint === undefined)
    throw new Error(`${variable} names no server; run these suites with npm run test:servers`);
  return endpoint;
}

beforeAll(async () => {
  useTestCredentials();
  for (const [, variable] of SERVERS) {
    const client = new S3Client({ endpoint: endpointOf(variable), region: 'us-east-1', forcePathStyle: true });
    for (const Bucket of Object.values(BUCKETS)) await client.send(new CreateBucketCommand({ Bucket }));
    for (const Bucket of [BUCKETS.versioned, BUCKETS.suspended]) {
      const VersioningConfiguration = { Status: 'Enabled' as const };
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    }
  }
});

describe.each(SERVERS)('scuttle on the %s', (_name, variable) => {
  test('frees a bucket that keeps no versions of what is ours', async () => {
    const { store } = await openTestS3(endpointOf(variable), BUCKETS.plain);
    await fill(store);

    const result = await scuttle(store);

    expect(result).toMatchObject({ deletedObjects: OURS.length, deletedVersions: 0, failed: [], kept: 0 });
    expect(await keysOf(store)).toEqual(FOREIGN);
  });

  test('leaves no version and no delete marker of ours in a bucket that keeps them', async () => {
    const { store } = await openTestS3(endpointOf(variable), BUCKETS.versioned);
    await fill(store);
    await fill(store);
    await store.delete([`uploads/${ID}/manifest.json.gz`, 'notes.txt']);

    const result = await scuttle(store);

    expect(result).toMatchObject({
      deletedObjects: OURS.length - 1,
      deletedVersions: OURS.length + 2,
      deletedBytes: OURS.length * 20,
      failed: [],
      found: { leftAlone: FOREIGN.length - 1 },
    });
    const left = await versionsOf(store);
    expect(left.filter(({ key }) => OURS.includes(key))).toEqual([]);
    expect(left).toHaveLength(2 * FOREIGN.length + 1);
  });

  test('leaves nothing of ours where versioning was suspended', async () => {
    const client = new S3Client({ endpoint: endpointOf(variable), region: 'us-east-1', forcePathStyle: true });
    const { store } = await openTestS3(endpointOf(variable), BUCKETS.suspended);
    const status = (Status: 'Enabled' | 'Suspended'): Promise<unknown> =>
      client.send(new PutBucketVersioningCommand({ Bucket: BUCKETS.suspended, VersioningConfiguration: { Status } }));
    await status('Enabled');
    await fill(store);
    await status('Suspended');
    await fill(store);

    const result = await scuttle(store);

    expect(result.failed).toEqual([]);
    expect((await versionsOf(store)).filter(({ key }) => OURS.includes(key))).toEqual([]);
  });

  test('goes on over more than a page of versions', async () => {
    const { store } = await openTestS3(endpointOf(variable), BUCKETS.versioned);
    const keys = Array.from({ length: 10 }, (_, chunk) => `uploads/${ID}/shard-00/chunk-00000${chunk}.tar.zst`);
    // Rival writes of one key do not all become versions on these servers: one after another.
    for (let written = 0; written < 101; written += 1)
      await Promise.all(keys.map((key) => store.put(key, Buffer.from('x'))));

    const result = await scuttle(store);

    expect(result).toMatchObject({ deletedObjects: 10, deletedVersions: 1000, failed: [] });
    expect(await versionsOf(store)).toEqual([]);
  });
});

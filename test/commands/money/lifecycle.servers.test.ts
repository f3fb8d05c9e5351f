// Lifecycle rules as real servers keep them.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestCredentials } from '../../support/open-s3.js';
import { FOREIGN, lifecycleOf, UPLOAD, WRITERS } from './lifecycle-cases.js';

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('lifecycle on the %s', (_name, variable) => {
  const endpoint = process.env[variable] ?? '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    for (const Bucket of ['lifecycle-rules', 'lifecycle-none']) await client.send(new CreateBucketCommand({ Bucket }));
  });

  test('a template is merged, exported, imported again and removed; what others wrote stays', async () => {
    const bucket = await lifecycleOf(endpoint, 'lifecycle-rules');
    await bucket.put(FOREIGN);

    expect(await bucket.change('--template', 'archive-optimization')).toMatchObject({ isConfirmed: true });
    const rules = await bucket.rules();
    const prefixes = [...rules.values()].map(({ Filter, Prefix }) => Filter?.Prefix ?? Prefix ?? '').sort();
    expect(prefixes).toEqual([
      'lab/',
      `lab/uploads/${UPLOAD}/shard-`,
      `lab/writers/w1/uploads/${WRITERS}/shard-`,
      'logs/',
    ]);
    expect(await bucket.change('--template', 'archive-optimization')).toMatchObject({ ruleChanges: [] });

    await bucket.change('--export', 'rules.json');
    expect(await bucket.change('--remove')).toMatchObject({ isConfirmed: true });
    expect([...(await bucket.rules()).keys()]).toEqual(['logs']);
    expect(await bucket.change('--import', 'rules.json')).toMatchObject({ isConfirmed: true });
    expect([...(await bucket.rules()).keys()].sort()).toEqual([...rules.keys()].sort());
  });

  test('a bucket without rules gets some, and has none again', async () => {
    const bucket = await lifecycleOf(endpoint, 'lifecycle-none');
    expect(await bucket.change()).toMatchObject({ lifecycleRules: [] });

    expect(await bucket.change('--template', 'intelligent-tiering')).toMatchObject({ isConfirmed: true });
    expect((await bucket.rules()).size).toBe(3);
    expect(await bucket.change('--remove')).toMatchObject({ isConfirmed: true });
    expect((await bucket.rules()).size).toBe(0);
  });
});

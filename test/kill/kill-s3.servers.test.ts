// The same on real S3 servers: killed before and after every request that changes something.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestCredentials } from '../support/open-s3.js';
import { killOnS3 } from './s3-kills.js';
import { ADDING } from './scenarios.js';

const BUCKET = 'kills';

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('%s', (_name, variable) => {
  const upstream = process.env[variable] ?? '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  test.each(ADDING)('every version survives a kill in $name', { timeout: 600_000 }, async (scenario) => {
    const { kills, problems } = await killOnS3(upstream, BUCKET, scenario);

    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThan(4);
  });
});

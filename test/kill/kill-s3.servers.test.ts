// The same on real S3 servers: killed before and after requests that change something.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestCredentials } from '../support/open-s3.js';
import { everyNth, killEverywhere } from './kill-everywhere.js';
import { makeS3World } from './s3-world.js';
import { SCENARIOS } from './scenarios.js';
import { byTurns } from '../support/by-turns.js';

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

  test.each(byTurns(SCENARIOS, 3))('every version survives a kill in $name', { timeout: 600_000 }, async (scenario) => {
    const { kills, problems } = await killEverywhere(await makeS3World(upstream, BUCKET), scenario, everyNth(7, 2));

    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThan(2);
  });
});

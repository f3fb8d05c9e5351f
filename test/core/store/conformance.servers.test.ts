import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll } from 'vitest';
import { beginMultipart } from '../../support/begin-multipart.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { describeConformance, type ConformanceOptions } from './conformance.js';

const BUCKET = 'conformance';
const SERVERS: readonly [string, string, ConformanceOptions['omits']][] = [
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW', []],
  // moto's router knows no control characters.
  ['moto server', 'ARCHIVER_TEST_MOTO', ['control-keys']],
];

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
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  }
});

for (const [name, variable, omits] of SERVERS) {
  describeConformance(name, {
    open: async () => (await openTestS3(endpointOf(variable), BUCKET)).store,
    omits,
    beginMultipart: (storeUrl, key) => beginMultipart(endpointOf(variable), storeUrl, key),
    maxKeys: 2500,
  });
}

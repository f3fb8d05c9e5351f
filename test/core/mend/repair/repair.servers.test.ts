// A repair on real gateways: suffix ranges, overwritten records and conditional writes as they see them.
import { readFileSync } from 'node:fs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { RecordSearch } from '../../../../src/core/mend/repair/find-record.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { repairUpload } from '../../../../src/core/mend/repair/repair.js';
import { verifyUpload } from '../../../../src/core/mend/verify/verify.js';
import { noise } from '../../archive/trees.js';
import { filesBelow } from '../../../e2e/upload-cli.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { signal, uploaded } from './repair-cases.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const SERVERS = [
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
] as const;
const BUCKET = 'repair';

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

test.each(SERVERS)('a damaged manifest is rebuilt and swapped on the %s', async (_name, variable) => {
  const home = await tempFolder();
  const [source, base] = [join(home, 'source'), join(home, 'store')];
  mkdirSync(source);
  for (let i = 0; i < 30; i++) writeFileSync(join(source, `file-${i}`), noise(20_000));
  const uploadId = await uploaded(source, base);
  const { store } = await openTestS3(endpointOf(variable), BUCKET);
  for (const key of filesBelow(base)) await store.put(key, readFileSync(join(base, key)));
  const manifestKey = `uploads/${uploadId}/manifest.json.gz`;
  await store.put(manifestKey, readFileSync(join(base, manifestKey)).subarray(0, -40));

  const result = await repairUpload({
    store,
    uploadId: asUploadId(uploadId),
    region: undefined,
    tool: 'archiver test',
    execute: true,
    force: false,
    fromPrevious: false,
    requestsAtOnce: 4,
    signal,
  });

  expect(result).toMatchObject({ status: 'repaired', lost: [] });
  const { found } = await RecordSearch.of(store, asUploadId(uploadId), signal);
  expect(found?.record.manifestSha256).toBe(result.manifestSha256);
  const view = await openView(store, { uploadId: asUploadId(uploadId), sha256: found?.record.manifestSha256 ?? '' });
  expect(view.totals.files).toBe(30);
  const options = {
    reader: store,
    uploadId: asUploadId(uploadId),
    sample: 1,
    random: () => 0,
    now: () => new Date(),
    requestsAtOnce: 4,
    emit: () => undefined,
    signal,
  };
  expect(await verifyUpload({ ...options, mode: 'deep' })).toMatchObject({ ok: true });
});

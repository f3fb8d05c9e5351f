// Copies between folders and buckets of real servers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { digests } from '../core/mend/copy/copy-made.js';
import { json } from '../support/run-command.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('%s', (_name, variable) => {
  test('a store goes from a folder to a bucket, to another prefix and back to a folder, and is the same', async () => {
    useTestCredentials();
    const endpoint = process.env[variable] ?? '';
    const bucket = `copy-${randomBytes(4).toString('hex')}`;
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const home = await tempFolder();
    const env = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'archiver',
      AWS_SECRET_ACCESS_KEY: 'archiver-secret',
      AWS_REGION: 'us-east-1',
      ARCHIVER_CREATE_ONCE: 'auto',
    };
    const run = (...argv: readonly string[]) => archiver(home, argv, { env });
    mkdirSync(join(home, 'source'));
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(join(home, 'source', name), randomBytes(200_000));
      expect(await run('sync', 'source', './from', '--dataset-id', 'lab')).toMatchObject({ status: 0 });
    }
    await run('dataset', 'tag', './from', 'kept', 'v2', '--dataset-id', 'lab');
    const places = ['./from', `s3://${bucket}/one`, `s3://${bucket}/two`, './back'];

    for (const [at, to] of places.entries()) {
      const from = places[at - 1];
      if (from === undefined) continue;
      expect(await run('copy', from, to)).toMatchObject({ status: 0 });
      const again = json((await run('copy', from, to, '--json')).stdout);
      expect([to, again['objects'], again['addedTags']]).toEqual([to, 0, 0]);
      expect(await run('verify', to, '--deep', '--no-record')).toMatchObject({ status: 0 });
    }

    const [first, last] = [await digests(fileStore(join(home, 'from'))), await digests(fileStore(join(home, 'back')))];
    const withoutTags = (all: Record<string, string>) => Object.entries(all).filter(([key]) => !key.includes('/tags/'));
    expect(withoutTags(last)).toEqual(withoutTags(first)); // a tag says when it was set
    expect(Object.keys(last)).toEqual(Object.keys(first));
  });
});

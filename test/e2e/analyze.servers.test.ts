// What `analyze` counts on Ceph's gateway, beside what the AWS CLI lists there.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginMultipart } from '../support/begin-multipart.js';
import { makeInventory, MANIFEST, rowsOf, versionsOf } from '../support/make-inventory.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { archiver, missingTools } from './upload-cli.js';

const BUCKET = 'analyzed';
const AT_ONCE = 16;

// Not on moto: its listing of versions after a key leaves out the first one.
describe('analyze on Ceph RADOS Gateway', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-analyze-'));
  const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
  const env = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', AWS_REGION: 'us-east-1' };
  const analyzed = async (...argv: string[]): Promise<Record<string, unknown>> => {
    const { stdout, status } = await archiver(
      work,
      ['analyze', `s3://${BUCKET}`, '--endpoint-url', endpoint, '--json', '--no-progress', ...argv],
      { env },
    );
    expect(status).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  let bytes = 0;
  let objects = 0;

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    await client.send(
      new PutBucketVersioningCommand({ Bucket: BUCKET, VersioningConfiguration: { Status: 'Enabled' } }),
    );
    const keys = Array.from({ length: 40 }, (_, n) => [
      `one/deep/${n}`,
      `two ${n % 3}/grün-${n}+&`,
      `flat-${n}`,
      ...Array.from({ length: 30 }, (_none, part) => `large/run-2024/img_${n}_${part}`),
    ]).flat();
    const put = async (key: string): Promise<void> => {
      const Body = 'x'.repeat(key.length * 7);
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body }));
      objects += 1;
      bytes += Body.length;
    };
    for (let at = 0; at < keys.length; at += AT_ONCE) await Promise.all(keys.slice(at, at + AT_ONCE).map(put));
    for (const Key of ['flat-1', 'flat-2'])
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: '0123456789' }));
    bytes += 20 - 2 * 'flat-1'.length * 7;
    await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: 'flat-3' }));
    bytes -= 'flat-3'.length * 7;
    objects -= 1;
    await beginMultipart(endpoint, `s3://${BUCKET}/unfinished`, 'big', ['123456']);
    client.destroy();
  });

  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('counts every object once, and what listings do not show', async () => {
    expect(await analyzed()).toMatchObject({
      objects,
      bytes,
      older: { objects: 3, bytes: 3 * 'flat-1'.length * 7, deleteMarkers: 1 },
      unfinished: { unfinishedMultiparts: 1, bytes: 6 },
    });
  });

  it('finds the same with a sample that takes everything', async () => {
    expect(await analyzed('--sampling', '--sample-size', '100000')).toMatchObject({ objects, bytes });
  });

  it.each(['CSV', 'Parquet'] as const)('finds the same in an inventory of it in %s', async (format) => {
    const { store } = await openTestS3(endpoint, BUCKET, { prefix: '' });
    const made = await makeInventory(rowsOf(await versionsOf(store), BUCKET), { format, bucket: BUCKET });
    for (const [key, content] of made) {
      mkdirSync(join(work, format, dirname(key)), { recursive: true });
      writeFileSync(join(work, format, key), content);
    }
    const { requests: _listed, durationMs: _ms, ...expected } = await analyzed();
    const found = await analyzed('--inventory', `file://${join(work, format, MANIFEST)}`);
    const { requests: _read, durationMs: _otherMs, inventory: _inventory, ...rest } = found;
    expect(rest).toEqual(expected);
  });

  it.skipIf(missingTools('aws').length > 0)('has the totals of aws s3 ls', async () => {
    const listed = execFileSync(
      'aws',
      ['s3', 'ls', `s3://${BUCKET}`, '--recursive', '--summarize', '--endpoint-url', endpoint],
      { env: { ...process.env, ...env }, encoding: 'utf8' },
    );
    const { objects: found, bytes: size } = await analyzed();
    expect(listed).toContain(`Total Objects: ${Number(found)}\n`);
    expect(listed).toContain(`Total Size: ${Number(size)}\n`);
  });
});

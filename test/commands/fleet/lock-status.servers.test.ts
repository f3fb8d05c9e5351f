// Whether what buckets of real servers hold can be destroyed.
import {
  CreateBucketCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLockConfigurationCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { filesBelow } from '../../e2e/upload-cli.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const DAY_MS = 86_400_000;

interface Audit {
  readonly overall: string;
  readonly findings: readonly { readonly check: string; readonly severity: string }[];
}

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('fleet lock-status on the %s', (_name, variable) => {
  const endpoint = process.env[variable] ?? '';
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const run = async (daysLater: number, ...argv: readonly string[]): Promise<CommandRun> =>
    await runCommand(
      {
        root: program(),
        folder: await tempFolder(),
        env: { NO_COLOR: '1', AWS_REGION: 'us-east-1' },
        columns: 80,
        now: () => new Date(Date.now() + daysLater * DAY_MS),
      },
      [...argv, '--endpoint-url', endpoint],
    );
  const audited = async (daysLater: number, url: string): Promise<Audit> => {
    const { status, stdout, stderr } = await run(daysLater, 'fleet', 'lock-status', url, '--json');
    if (status !== 0) throw new Error(`status ${status}: ${stdout} ${stderr}`);
    return json(stdout) as unknown as Audit;
  };
  const severities = ({ findings, overall }: Audit): Record<string, string> => ({
    ...Object.fromEntries(findings.map(({ check, severity }) => [check, severity])),
    overall,
  });

  /** A version of writer w1, copied object by object: moto takes nothing without a checksum where there are locks. */
  const put = async (Bucket: string, prefix: string): Promise<void> => {
    const folder = await tempFolder();
    const store = await tempFolder();
    writeFileSync(join(folder, 'one'), 'one');
    const upload = ['upload', folder, `file://${store}`, '--writer-id', 'w1', '--quiet'];
    const { status, stderr } = await runCommand({ root: program(), folder }, upload);
    if (status !== 0) throw new Error(stderr);
    for (const name of filesBelow(store))
      await client.send(
        new PutObjectCommand({ Bucket, Key: `${prefix}/${name}`, Body: readFileSync(join(store, name)) }),
      );
  };

  beforeAll(useTestCredentials);

  test('a bucket as it is made, and one whose versioning is suspended', async () => {
    const Bucket = 'lock-plain';
    await client.send(new CreateBucketCommand({ Bucket }));
    const plain = { versioning: 'critical', 'object-lock': 'critical', 'lifecycle-mpu': 'warn', overall: 'critical' };

    expect(severities(await audited(0, `s3://${Bucket}/lab`))).toEqual(plain);
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    expect(severities(await audited(0, `s3://${Bucket}`))).toEqual({ ...plain, versioning: 'ok' });
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Suspended' } }));
    expect(severities(await audited(0, `s3://${Bucket}`))).toEqual(plain);
  });

  test('a bucket with locks: without a default, with one, and once that is over for the newest version', async () => {
    const Bucket = `lock-kept-${randomBytes(4).toString('hex')}`;
    await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
    expect(severities(await audited(0, `s3://${Bucket}/lab`))).toMatchObject({
      versioning: 'ok',
      'object-lock': 'warn',
    });

    await client.send(
      new PutObjectLockConfigurationCommand({
        Bucket,
        ObjectLockConfiguration: {
          ObjectLockEnabled: 'Enabled',
          Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 30 } },
        },
      }),
    );
    await client.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        LifecycleConfiguration: {
          Rules: [
            {
              ID: 'a',
              Status: 'Enabled',
              Filter: { Prefix: '' },
              AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
            },
          ],
        },
      }),
    );
    await put(Bucket, 'lab');
    const base = `s3://${Bucket}/lab`;
    const well = { versioning: 'ok', 'object-lock': 'ok', 'lifecycle-mpu': 'ok', retention: 'ok', overall: 'ok' };
    expect(severities(await audited(0, base))).toEqual(well);
    // Its writers are looked at as well.
    expect(severities(await audited(40, base))).toEqual({ ...well, retention: 'warn', overall: 'warn' });
    const { stdout } = await run(40, 'fleet', 'lock-status', base);
    expect(stdout).toMatch(/^retention +WARN +over for 1 of 1 versions that stay$/m);
    expect(stdout).toContain('\nOverall: WARN\n');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('a bucket that is not there, and a folder, are refused', async () => {
    const missing = await run(0, 'fleet', 'lock-status', 's3://lock-nowhere');
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('there is no bucket lock-nowhere')]);
  });
});

// The odd keys that real servers take: what reads a fleet goes on beside them.
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { filesBelow } from '../e2e/upload-cli.js';
import { heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { putAt } from '../support/fleet.js';
import { heartbeat } from '../support/heartbeat.js';
import { ODD_KEYS, ODD_TEXT } from '../support/odd-keys.js';
import { useTestCredentials } from '../support/open-s3.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

useTestCredentials();
const root = program();

const CALLS = [
  'list BASE',
  'verify BASE --quick',
  'verify BASE',
  'find one BASE',
  'dataset list BASE',
  'info BASE',
  'restore BASE OUT --all',
  'fleet status BASE',
  'dashboard BASE --once --view inventory',
  'dataset prune BASE --all-datasets --keep-last 1 --yes --allow-mass-delete',
  'scuttle BASE --force',
] as const;

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('odd keys on the %s', (_name, variable) => {
  const endpoint = process.env[variable];

  test.skipIf(endpoint === undefined)(
    'end nothing, are named, and stay',
    async () => {
      const folder = await tempFolder();
      const Bucket = `odd-${randomBytes(4).toString('hex')}`;
      const client = new S3Client({
        endpoint: endpoint ?? '',
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
      });
      await client.send(new CreateBucketCommand({ Bucket }));
      const [source, base] = [join(folder, 'source'), join(folder, 'store')];
      mkdirSync(source);
      for (const name of ['one', 'two']) {
        writeFileSync(join(source, name), name);
        for (const writer of [[], ['--writer-id', 'web-01']]) {
          const sync = ['sync', source, `file://${base}`, '--dataset-id', 'd-1', '--quiet', ...writer];
          expect(await runCommand({ root, folder }, sync)).toMatchObject({ status: 0 });
        }
      }
      await putAt(base, heartbeatKey('web-01'), heartbeatBytes(heartbeat('web-01')), '2026-03-04T05:00:00Z');
      for (const name of filesBelow(base))
        await client.send(new PutObjectCommand({ Bucket, Key: `lab/${name}`, Body: readFileSync(join(base, name)) }));
      const keysThere = async (): Promise<ReadonlySet<string>> => {
        const listed = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'lab/', EncodingType: 'url' }));
        return new Set(listed.Contents?.map(({ Key = '' }) => decodeURIComponent(Key.replaceAll('+', '%20')).slice(4)));
      };
      const own = await keysThere();
      for (const key of ODD_KEYS)
        await client.send(new PutObjectCommand({ Bucket, Key: `lab/${key}`, Body: '{}' })).catch(() => undefined);
      const planted = [...(await keysThere())].filter((key) => !own.has(key));
      expect(planted.length).toBeGreaterThan(100);

      for (const call of CALLS) {
        const words = call.split(' ').map((word) => word.replace('BASE', `s3://${Bucket}/lab`));
        const env = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: endpoint ?? '' };
        const { status, stdout, stderr } = await runCommand({ root, folder, env }, words);

        const text = stdout + stderr;
        const isNamed = text.includes(ODD_TEXT) || call.startsWith('scuttle');
        expect({ call, status, isNamed, text }).toMatchObject({ call, status: 0, isNamed: true });
      }
      const left = await keysThere();
      expect(planted.filter((key) => !left.has(key) && ODD_KEYS.includes(key) && !isOwn(key))).toEqual([]);
    },
    120_000,
  );
});

/** What a wipe takes for ours: a part of it is odd, but no id is. */
const isOwn = (key: string): boolean => key.startsWith('uploads/20260101') && !key.includes('/files/');

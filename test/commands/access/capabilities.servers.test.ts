// What real servers can do, as the table of `access-check` has it: each row against a bucket where it holds and one where it does not.
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketEncryptionCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { noMinio, startMinio } from '../../servers/minio.js';
import type { S3Server } from '../../servers/s3-server.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const RUN = randomBytes(3).toString('hex');

interface Row {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
}

async function rows(endpoint: string, bucket: string): Promise<Readonly<Record<string, Row>>> {
  const env = { NO_COLOR: '1', AWS_REGION: 'us-east-1' };
  const { status, stdout, stderr } = await runCommand({ root: program(), folder: await tempFolder(), env }, [
    'access-check',
    `s3://${bucket}/lab`,
    '--endpoint-url',
    endpoint,
    '--json',
  ]);
  if (status !== 0) throw new Error(`status ${status}: ${stdout} ${stderr}`);
  const { capabilities } = json(stdout) as { capabilities: readonly Row[] };
  return Object.fromEntries(capabilities.map((row) => [row.name, row]));
}

const states = (found: Readonly<Record<string, Row>>): Record<string, string> =>
  Object.fromEntries(Object.values(found).map(({ name, state }) => [name, state]));

/** Of a bucket as it is made. */
const BARE = {
  'create-once': 'yes',
  versions: 'no',
  'object-lock': 'no',
  lifecycle: 'yes',
  'storage-classes': 'yes',
  encryption: 'no',
  'unfinished-uploads': 'yes',
  'multipart-copy': 'yes',
  'largest-part': 'unknown',
  clock: 'yes',
};

interface Server {
  readonly name: string;
  readonly endpoint: () => string;
  readonly bare: Readonly<Record<string, string>>;
  /** Of a bucket that keeps versions. */
  readonly createOnceVersioned: 'yes' | 'no';
  readonly classes: RegExp;
}

function suite({ name, endpoint, bare, createOnceVersioned, classes }: Server): void {
  const make = async (kind: string, locks = false): Promise<string> => {
    const Bucket = `cap-${kind}-${RUN}`;
    await client().send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: locks }));
    return Bucket;
  };
  const client = (): S3Client => new S3Client({ endpoint: endpoint(), region: 'us-east-1', forcePathStyle: true });

  test(`${name}: a bucket as it is made, and nothing of the look stays but what it keeps`, async () => {
    const Bucket = await make('bare');
    const found = await rows(endpoint(), Bucket);
    const { Versions = [] } = await client().send(new ListObjectVersionsCommand({ Bucket }));
    const { Uploads = [] } = await client().send(new ListMultipartUploadsCommand({ Bucket }));

    expect(states(found)).toEqual(bare);
    expect(found['storage-classes']?.detail).toMatch(classes);
    expect([Versions.map(({ Key }) => Key), Uploads]).toEqual([['lab/create-once.json'], []]);
  });

  test(`${name}: a bucket that keeps versions`, async () => {
    const Bucket = await make('versions');
    await client().send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const found = states(await rows(endpoint(), Bucket));
    await client().send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Suspended' } }));

    expect(found).toMatchObject({ versions: 'yes', 'create-once': createOnceVersioned });
    expect(states(await rows(endpoint(), Bucket))).toMatchObject({ versions: 'no' });
  });

  test(`${name}: a bucket that was made with Object Lock`, async () => {
    const found = await rows(endpoint(), await make('locks', true));

    expect(found['object-lock']).toMatchObject({ state: 'yes', detail: 'on, without a default retention' });
  });
}

describe('on the Ceph RADOS Gateway', () => {
  beforeAll(useTestCredentials);
  suite({
    name: 'Ceph',
    endpoint: () => process.env['ARCHIVER_TEST_RGW'] ?? '',
    bare: BARE,
    createOnceVersioned: 'no',
    classes: /STANDARD_IA.*as names alone, since they are read at once: GLACIER, DEEP_ARCHIVE$/,
  });
});

describe('on the moto server', () => {
  const endpoint = (): string => process.env['ARCHIVER_TEST_MOTO'] ?? '';
  beforeAll(useTestCredentials);
  suite({
    name: 'moto',
    endpoint,
    bare: BARE,
    createOnceVersioned: 'yes',
    classes: /^STANDARD_IA, ONEZONE_IA, INTELLIGENT_TIERING, GLACIER_IR, GLACIER, DEEP_ARCHIVE$/,
  });

  test('moto: a bucket that encrypts', async () => {
    const Bucket = `cap-encrypted-${RUN}`;
    const client = new S3Client({ endpoint: endpoint(), region: 'us-east-1', forcePathStyle: true });
    const Rules = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' as const } }];
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules } }));

    expect((await rows(endpoint(), Bucket))['encryption']).toMatchObject({ state: 'yes', detail: /AES256/ });
  });
});

describe.skipIf(noMinio() !== undefined)('on MinIO', () => {
  let minio: S3Server | undefined;
  const saved = { ...process.env };
  beforeAll(async () => {
    minio = await startMinio();
    const { accessKeyId, secretAccessKey } = minio;
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey });
  });
  afterAll(async () => {
    process.env = saved;
    await minio?.stop();
  });
  suite({
    name: 'MinIO',
    endpoint: () => minio?.endpoint ?? '',
    bare: { ...BARE, 'storage-classes': 'no' },
    createOnceVersioned: 'yes',
    classes: /^STANDARD alone; refused: STANDARD_IA/,
  });
});

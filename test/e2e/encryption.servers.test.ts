// Encrypted uploads: the built program against a real server of S3 and KMS. What real credentials may not do, a proxy in
// front of KMS denies.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type KmsServer, startKmsServer } from '../support/kms-server.js';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

const BUCKET = 'encrypted';
const COPY = 'encrypted-copy';
const SECRET = 'patient-4711';

interface Failed {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

describe('an encrypted upload', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-kms-'));
  const tree = join(work, SECRET);
  let s3: S3Client;
  let proxy: KmsServer;
  let env: Record<string, string>;
  let keyId = '';
  let keyArn = '';
  let first: UploadDocument;

  const run = (...args: string[]): Promise<Ran> => archiver(work, args, { env });
  const json = async <T>(...args: string[]): Promise<T & { readonly status: number | null }> => {
    const { stdout, stderr, status } = await run(...args, '--json');
    if (stdout === '') throw new Error(`no document: ${stderr}`);
    return { ...(JSON.parse(stdout) as T), status };
  };
  const keysOf = async (bucket: string): Promise<string[]> => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.flatMap(({ Key }) => Key ?? []);
  };
  const bytesOf = async (key: string): Promise<Buffer> => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };
  const restored = (folder: string): string[] =>
    ['a.txt', `sub/${SECRET}.bin`].map((path) =>
      createHash('md5')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    );

  beforeAll(async () => {
    useTestCredentials();
    const upstream = process.env['ARCHIVER_TEST_MOTO'] ?? '';
    s3 = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
    for (const Bucket of [BUCKET, COPY]) await s3.send(new CreateBucketCommand({ Bucket }));
    const kms = new KMSClient({ endpoint: upstream, region: 'us-east-1' });
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
    keyId = KeyMetadata?.KeyId ?? '';
    keyArn = KeyMetadata?.Arn ?? '';
    proxy = await startKmsServer(upstream);
    env = {
      AWS_ENDPOINT_URL: upstream,
      AWS_ENDPOINT_URL_KMS: proxy.endpoint,
      AWS_ACCESS_KEY_ID: 'archiver',
      AWS_SECRET_ACCESS_KEY: 'archiver-secret',
      AWS_REGION: 'us-east-1',
    };
    mkdirSync(join(tree, 'sub'), { recursive: true });
    for (const name of 'abcdefghij') writeFileSync(join(tree, `${name}.txt`), name);
    writeFileSync(join(tree, 'sub', `${SECRET}.bin`), randomBytes(100_000));
    first = await json('upload', tree, `s3://${BUCKET}/lab`, '--kms-key-id', keyId, '--encrypt-manifest');
  });
  beforeEach(() => proxy.clear());
  afterAll(async () => {
    await proxy.close();
    rmSync(work, { recursive: true, force: true });
  });

  it('has chunks that the store encrypts with the key, and no name in anything else', async () => {
    const keys = await keysOf(BUCKET);
    for (const key of keys.filter((key) => key.endsWith('.zst'))) {
      const head = await s3.send(new HeadObjectCommand({ Bucket: BUCKET, Key: key }));
      expect([head.ServerSideEncryption, head.SSEKMSKeyId]).toEqual(['aws:kms', keyId]);
    }
    for (const key of keys.filter((key) => !key.endsWith('.zst'))) {
      const text = (await bytesOf(key)).toString('latin1');
      expect([key, key.includes(SECRET), text.includes(SECRET), text.includes(work)]).toEqual([
        key,
        false,
        false,
        false,
      ]);
    }
    expect(first.datasetId).toMatch(/^data-[0-9a-f]{8}$/);
  });

  it('is listed, described, verified and restored like any other', async () => {
    const listed = await json<{ contents: { path: string }[] }>('list', first.location);
    expect(listed.contents.map(({ path }) => path)).toContain(`sub/${SECRET}.bin`);
    // moto names the key of an object as the request did.
    expect(await json('info', first.location)).toMatchObject({
      encryption: { manifestKeyId: keyArn, byKey: [{ method: 'aws:kms', kmsKeyId: keyId }], missingChunks: 0 },
    });
    expect((await run('info', first.location)).stdout).toContain(`encrypted with ${keyId} (SSE-KMS)`);
    for (const mode of [['--quick'], [], ['--deep']])
      expect(await json('verify', first.location, ...mode)).toMatchObject({ ok: true, errors: [], status: 0 });
    for (const args of [
      ['restore', first.location, join(work, 'out'), '--all'],
      ['restore', `s3://${BUCKET}/lab`, join(work, 'out2'), '--dataset-id', first.datasetId, '--all'],
      ['download', first.location, join(work, 'out3')],
    ]) {
      expect(await json(...args)).toMatchObject({ failed: [], status: 0 });
      expect(restored(args[2] ?? '')).toEqual(restored(tree));
    }
    const versions = await json('dataset', 'versions', `s3://${BUCKET}/lab`, '--dataset-id', first.datasetId);
    expect(versions).toMatchObject({ versions: [{ source: null, kmsKeyId: keyArn, isEncrypted: true }] });
  });

  it('is continued by syncs that say nothing about it', async () => {
    expect(await json('sync', tree, `s3://${BUCKET}/lab`)).toMatchObject({ noChanges: true, version: 1 });
    writeFileSync(join(tree, 'new.txt'), 'new');
    const second = await json<UploadDocument>('sync', tree, `s3://${BUCKET}/lab`);
    expect(second).toMatchObject({ added: 1, version: 2, datasetId: first.datasetId });
    expect((await bytesOf(`lab/${second.manifestKey}`)).toString('latin1', 0, 8)).toBe('ARCHENC1');
    expect(await json('sync', tree, `s3://${BUCKET}/lab`)).toMatchObject({ noChanges: true, version: 2 });
    expect(await json('verify', second.location, '--deep')).toMatchObject({ ok: true });
    const diff = await json('dataset', 'diff', `s3://${BUCKET}/lab`, '--dataset-id', first.datasetId, '--from', '1');
    expect(diff).toMatchObject({ status: 0, added: 1, changes: [{ path: 'new.txt' }] });
    proxy.clear();
    rmSync(join(work, '.archiver', 'manifest-cache'), { recursive: true });
    expect(await json('sync', tree, `s3://${BUCKET}/lab`)).toMatchObject({ noChanges: true });
    expect(proxy.asked).toEqual(['Decrypt', 'Decrypt']);
  });

  it('opens from a bucket that it was copied to, under another prefix', async () => {
    for (const key of await keysOf(BUCKET)) {
      const CopySource = `${BUCKET}/${key}`;
      await s3.send(new CopyObjectCommand({ Bucket: COPY, Key: key.replace(/^lab/, 'else/where'), CopySource }));
    }
    const location = `s3://${COPY}/else/where/uploads/${first.uploadId}`;
    expect(await json('restore', location, join(work, 'copied'), '--all')).toMatchObject({ failed: [], status: 0 });
    expect(restored(join(work, 'copied'))).toEqual(restored(tree));
  });

  it('does not open in the folder of another upload, whatever its header says', async () => {
    const other = '20250101-000000-00000000';
    const Key = `lab/uploads/${other}/manifest.json.gz`;
    const stored = await bytesOf(`lab/${first.manifestKey}`);
    await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: stored }));
    const location = `s3://${BUCKET}/lab/uploads/${other}`;
    const moved = await json<Failed>('list', location);
    expect(moved).toMatchObject({ status: 1, error: { code: 'integrity' } });
    expect(moved.error.message).toContain(`was written as that of uploads/${first.uploadId}`);

    const forged = Buffer.from(stored.toString('latin1').replace(first.uploadId, other), 'latin1');
    await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: forged }));
    const refused = await json<Failed>('list', location);
    expect(refused).toMatchObject({ status: 1, error: { code: 'integrity' } });
    expect(refused.error.message).toMatch(/kms:Decrypt .*: its data key is damaged, or was wrapped for another place/);
  });

  it('without kms:Decrypt says which key and which action', async () => {
    proxy.fail({ operation: 'Decrypt', type: 'AccessDeniedException', message: 'not authorized' });
    for (const args of [
      ['list', first.location],
      ['info', first.location],
      ['verify', first.location],
      ['restore', first.location, join(work, 'never'), '--all'],
    ]) {
      const { error, status } = await json<Failed>(...args);
      expect([status, error.code]).toEqual([1, 'access-denied']);
      expect(error.message).toContain(`is encrypted with ${keyArn} and cannot be opened`);
      expect(error.hint).toBe(`the credentials need kms:Decrypt on ${keyArn}`);
    }
  });

  it('without kms:GenerateDataKey sends nothing', async () => {
    proxy.fail({ operation: 'GenerateDataKey', type: 'AccessDeniedException', message: 'not authorized' });
    const denied = await json<Failed>(
      'upload',
      tree,
      `s3://${BUCKET}/denied`,
      '--kms-key-id',
      keyId,
      '--encrypt-manifest',
    );

    expect(denied).toMatchObject({ status: 1, error: { code: 'access-denied' } });
    expect(denied.error.hint).toBe(`the credentials need kms:GenerateDataKey on ${keyId}`);
    expect((await keysOf(BUCKET)).filter((key) => key.startsWith('denied/'))).toEqual([]);
  });

  it('of a writer that may make data keys but not open them goes on from its cache', async () => {
    const base = `s3://${BUCKET}/fleet`;
    const encrypt = ['--writer-id', 'nas', '--kms-key-id', keyId, '--encrypt-manifest'];
    proxy.fail({ operation: 'Decrypt', type: 'AccessDeniedException' });
    const one = await json<UploadDocument>('sync', tree, base, ...encrypt);
    writeFileSync(join(tree, 'newer.txt'), 'newer');
    expect(await json('sync', tree, base, ...encrypt)).toMatchObject({ added: 1, version: 2 });
    expect(await json('sync', tree, base, '--writer-id', 'nas')).toMatchObject({ noChanges: true });
    proxy.clear();
    expect(await json('verify', one.location, '--deep')).toMatchObject({ ok: true });
  });

  it('is refused without a key, and for a folder', async () => {
    const noKey = await json<Failed>('upload', tree, `s3://${BUCKET}/x`, '--encrypt-manifest');
    const folder = await json<Failed>('upload', tree, `file://${work}/store`, '--kms-key-id', keyId);

    expect(noKey).toMatchObject({ status: 2, error: { message: '--encrypt-manifest needs --kms-key-id' } });
    expect(folder).toMatchObject({ status: 2, error: { code: 'usage' } });
  });
});

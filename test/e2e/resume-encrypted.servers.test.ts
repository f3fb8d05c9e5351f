// An encrypted upload that is killed in the middle and goes on: the built program against a real server of S3 and KMS.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateBucketCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import type { ObjectInfo } from '../../src/core/store/object-store.js';
import { readAll } from '../../src/core/store/read-content.js';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, MIB, noise } from '../core/archive/trees.js';
import { startKillProxy } from '../kill/kill-proxy.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, makeFolder, type UploadDocument } from './upload-cli.js';

const BUCKET = 'resume-encrypted';
const SECRET = 'patient-4711';

/** Twelve files that fill some chunks, and copies of four of them. */
function fill(tree: string): void {
  const contents = Array.from({ length: 12 }, () => noise(2 * MIB));
  mkdirSync(join(tree, SECRET));
  for (const [index, content] of contents.entries()) writeFileSync(join(tree, `file-${index}`), content);
  for (const [index, content] of contents.slice(0, 4).entries())
    writeFileSync(join(tree, SECRET, `copy-${index}`), content);
}

test('goes on with the same key, sends nothing twice, and names nothing', { timeout: 240_000 }, async () => {
  useTestCredentials();
  const upstream = process.env['ARCHIVER_TEST_MOTO'] ?? '';
  const s3 = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const kms = new KMSClient({ endpoint: upstream, region: 'us-east-1' });
  const { KeyMetadata: { KeyId: keyId = '' } = {} } = await kms.send(new CreateKeyCommand({}));
  const proxy = await startKillProxy(upstream);
  onTestFinished(() => proxy.close());
  const home = await tempFolder();
  const tree = makeFolder(home, 'tree');
  fill(tree);
  const { store } = await openTestS3(upstream, BUCKET);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ARCHIVER_HOME: join(home, '.archiver'),
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_ENDPOINT_URL_KMS: upstream,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
    ARCHIVER_CREATE_ONCE: 'yes', // the store is known: only the upload is killed
  };
  const objects = async (): Promise<readonly ObjectInfo[]> => {
    const found: ObjectInfo[] = [];
    for await (const page of store.list()) found.push(...page.objects);
    return found;
  };
  const json = async <T>(...args: string[]): Promise<T> => {
    const { status, stdout, stderr } = await archiver(home, [...args, '--json', '-q'], { env, timeoutMs: 120_000 });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as T;
  };

  const encrypt = ['--kms-key-id', keyId, '--encrypt-manifest', '--enable-dedup', '--memory-limit', '200MiB'];
  const killed = await new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, 'upload', tree, store.url, ...encrypt, '-q'], { env }, () =>
      resolve(child.signalCode),
    );
    proxy.arm(4, 'before', () => void child.kill('SIGKILL'));
  });
  await proxy.settled();
  proxy.disarm();
  const before = await objects();
  const resumed = await json<UploadDocument & { deduplicated: unknown }>('resume');

  expect(killed).toBe('SIGKILL');
  // Three requests were let through; the last of them may have died with the process.
  expect(before.length).toBeGreaterThanOrEqual(2);
  const after = await objects();
  expect(after).toEqual(expect.arrayContaining([...before]));
  expect(resumed).toMatchObject({ version: 1, files: 16, deduplicated: { files: 4, bytes: 8 * MIB } });
  const bucketPrefix = store.url.slice(`s3://${BUCKET}/`.length);
  for (const { key } of after.filter(({ key }) => key.endsWith('.zst'))) {
    const head = await s3.send(new HeadObjectCommand({ Bucket: BUCKET, Key: `${bucketPrefix}/${key}` }));
    expect([key, head.ServerSideEncryption, head.SSEKMSKeyId]).toEqual([key, 'aws:kms', keyId]);
  }
  for (const { key } of after.filter(({ key }) => !key.endsWith('.zst'))) {
    const text = (await readAll(await store.get(key), MIB)).toString('latin1');
    const isOpen = key.endsWith('.gz') && !text.startsWith('ARCHENC1');
    expect([key, text.includes(SECRET), isOpen]).toEqual([key, false, false]);
  }
  expect(await json('sync', tree, store.url)).toMatchObject({ noChanges: true, version: 1 });
  expect(await json('verify', resumed.location, '--deep')).toMatchObject({ ok: true, errors: [] });
  await json('restore', resumed.location, join(home, 'out'), '--all');
  expect(describeTree(rawFromText(join(home, 'out')))).toEqual(describeTree(rawFromText(tree)));
});

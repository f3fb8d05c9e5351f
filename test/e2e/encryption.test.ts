// Encrypted uploads with the built program, S3 and KMS being servers of this process; encryption.servers.test.ts has the
// real ones.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_ARN } from '../support/fake-kms.js';
import { type KmsServer, startKmsServer } from '../support/kms-server.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { archiver, type Ran, type UploadDocument, uploadJson } from './upload-cli.js';

describe('an encrypted upload', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-kms-'));
  const tree = join(work, 'patient-4711');
  let s3: MemoryS3;
  let kms: KmsServer;
  let env: Record<string, string>;
  let document: UploadDocument;

  const run = (...args: string[]): Promise<Ran> => archiver(work, args, { env });

  beforeAll(async () => {
    s3 = await startMemoryS3('bucket');
    kms = await startKmsServer();
    env = {
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_ENDPOINT_URL: kms.endpoint,
      AWS_ACCESS_KEY_ID: 'archiver',
      AWS_SECRET_ACCESS_KEY: 'archiver-secret',
      AWS_REGION: 'eu-west-1',
    };
    mkdirSync(tree);
    writeFileSync(join(tree, 'a.txt'), 'content');
    const flags = ['--kms-key-id', KEY_ARN, '--encrypt-manifest'];
    ({ document } = await uploadJson(work, [tree, 's3://bucket/lab', ...flags], { env }));
  });
  afterAll(async () => {
    await s3.close();
    await kms.close();
    rmSync(work, { recursive: true, force: true });
  });

  it('asks KMS in the region of the key, and lies encrypted in the store', () => {
    const objects = [...(s3.buckets.get('bucket') ?? [])];
    const [manifest] = objects.filter(([key]) => key.endsWith('manifest.json.gz'));
    const [chunk] = objects.filter(([key]) => key.endsWith('.zst'));

    expect(kms.asked).toEqual(['GenerateDataKey']);
    expect(kms.regions).toEqual(['us-east-1']);
    expect(manifest?.[1].body.toString('latin1', 0, 8)).toBe('ARCHENC1');
    expect(manifest?.[1].headers['x-amz-server-side-encryption']).toBeUndefined();
    expect(chunk?.[1].headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': KEY_ARN,
    });
  });

  it('is described with its key', async () => {
    const { stdout } = await run('info', document.location);

    expect(stdout).toContain(`  manifest        encrypted with ${KEY_ARN}\n`);
    expect(stdout).toMatch(new RegExp(`  chunks          1 chunk, .*: encrypted with ${KEY_ARN} \\(SSE-KMS\\)\n`));
  });

  it('is restored from a copy of the bucket on a disk', async () => {
    const copy = join(work, 'copy');
    for (const [key, { body }] of s3.buckets.get('bucket') ?? []) {
      mkdirSync(join(copy, dirname(key)), { recursive: true });
      writeFileSync(join(copy, key), body);
    }
    const url = `file://${copy}/lab/uploads/${document.uploadId}`;

    expect(await run('restore', url, join(work, 'out'), '--all')).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, 'out', 'a.txt'), 'utf8')).toBe('content');
  });

  it('whose key is disabled is no reason for --force', async () => {
    kms.clear();
    kms.fail({ operation: 'Decrypt', type: 'DisabledException', message: 'the key is disabled' });
    const elsewhere = { ...env, ARCHIVER_HOME: join(work, 'elsewhere') };

    const { status, stderr } = await archiver(work, ['sync', tree, 's3://bucket/lab', '--quiet'], { env: elsewhere });
    kms.clear();

    expect([status, stderr]).toEqual([1, expect.stringContaining('enable the key')]);
    expect(stderr).not.toContain('--force');
    expect(stderr).not.toContain('archiver repair');
  });

  it('costs no KMS request when it is not encrypted', async () => {
    kms.clear();
    const { document: plain } = await uploadJson(work, [tree, 's3://bucket/plain'], { env });
    await run('list', plain.location);

    expect(kms.asked).toEqual([]);
  });

  it('serves as --prev-manifest', async () => {
    const file = join(work, 'prev.json.gz');
    const { body } = s3.buckets.get('bucket')?.get(`lab/${document.manifestKey}`) ?? {};
    writeFileSync(file, body ?? '');
    const args = [tree, 's3://bucket/lab', '--incremental', '--prev-manifest', file];

    expect((await uploadJson(work, args, { env })).document).toMatchObject({ noChanges: true });
    writeFileSync(file, (body ?? Buffer.alloc(0)).subarray(0, 9));
    expect((await run('upload', ...args)).stderr).toMatch(/--prev-manifest .* is cut off/);
  });

  it('is kept by create upload, and by a migration into an encrypted dataset', async () => {
    spawnSync('tar', ['-cf', join(work, 'a.tar'), '-C', tree, '.']);
    const migration = ['migrate', join(work, 'a.tar'), 's3://bucket/lab', '--json', '--quiet'];
    const planned = JSON.parse((await run(...migration, '--dry-run')).stdout) as UploadDocument;
    const flags = ['--dataset-id', planned.datasetId, '--kms-key-id', KEY_ARN, '--encrypt-manifest'];
    await uploadJson(work, [tree, 's3://bucket/lab', ...flags], { env });

    const created = await run('create', 'upload', tree, '--bucket', 's3://bucket/lab', '--json', '--quiet');
    const migrated = await run(...migration);

    const results = [created, migrated].map(({ stdout }) => JSON.parse(stdout) as UploadDocument);
    expect(results).toMatchObject([
      { datasetId: document.datasetId, version: 2 },
      { datasetId: planned.datasetId, version: 2 },
    ]);
    for (const { manifestKey } of results) {
      const manifest = s3.buckets.get('bucket')?.get(`lab/${manifestKey}`);
      expect(manifest?.body.toString('latin1', 0, 8)).toBe('ARCHENC1');
    }
  });

  it('is refused without --kms-key-id, by sync as well, and for a folder', async () => {
    const folder = `file://${join(work, 'store')}`;
    const ran = [
      await run('upload', tree, 's3://bucket/x', '--encrypt-manifest'),
      await run('sync', tree, 's3://bucket/x', '--encrypt-manifest'),
      await run('upload', tree, folder, '--kms-key-id', KEY_ARN),
      await run('sync', tree, folder, '--kms-key-id', KEY_ARN),
    ];

    expect(ran.map(({ status }) => status)).toEqual([2, 2, 2, 2]);
    expect(ran.map(({ stderr }) => /✗ (.*)/.exec(stderr)?.[1])).toEqual([
      '--encrypt-manifest needs --kms-key-id',
      '--encrypt-manifest needs --kms-key-id',
      'a folder cannot encrypt with KMS: --kms-key-id needs an s3:// destination',
      'a folder cannot encrypt with KMS: --kms-key-id needs an s3:// destination',
    ]);
  });
});

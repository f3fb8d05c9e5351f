// Listings in segments, and encryption: encrypted chunks leave a listing in segments, an encrypted manifest is one object, also on top of such a
// listing. S3 and KMS are servers of this process.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { describeTree } from '../core/archive/trees.js';
import { KEY_ARN } from '../support/fake-kms.js';
import { startKmsServer } from '../support/kms-server.js';
import { type MemoryObject, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { json, runCommand } from '../support/run-command.js';
import { smallSegments } from '../support/small-segments.js';
import { tempFolder } from '../support/temp-folder.js';
import { makeFolder } from './upload-cli.js';

const URL = 's3://bucket/lab';
const ID = ['--dataset-id', 'd'];
const CHUNKS = ['--kms-key-id', KEY_ARN];
const ALL = [...CHUNKS, '--encrypt-manifest'];

beforeAll(smallSegments());

async function site() {
  useTestCredentials();
  const home = await tempFolder();
  const [s3, kms] = [await startMemoryS3('bucket'), await startKmsServer()];
  onTestFinished(async () => {
    await s3.close();
    await kms.close();
  });
  const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_ENDPOINT_URL: kms.endpoint, AWS_REGION: 'eu-west-1' };
  const root = program();
  const run = async (...args: string[]) => await runCommand({ root, folder: home, env }, args);
  const done = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(...args);
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout;
  };
  const source = makeFolder(home, 'source');
  for (let at = 10; at < 50; at++) writeFileSync(join(source, `patient-${at}`), `content ${at}`);
  const bucket = s3.buckets.get('bucket') ?? new Map<string, MemoryObject>();
  const sync = async (...flags: string[]): Promise<string> =>
    String(json(await done('sync', source, URL, ...ID, '--track-deletes', '--json', '--quiet', ...flags))['uploadId']);
  const keys = (pattern: RegExp, uploadId = ''): string[] =>
    [...bucket.keys()].filter((key) => pattern.test(key) && key.includes(uploadId)).toSorted();
  const restored = async (version: number): Promise<unknown> => {
    const out = join(home, `out-${version}`);
    rmSync(out, { recursive: true, force: true });
    await done('restore', URL, out, ...ID, '--version', String(version), '--all', '--verify');
    return describeTree(out);
  };
  return { source, bucket, sync, run, done, keys, restored, tree: () => describeTree(source) };
}

const SEGMENT = /\/manifest\/\d{6}-[0-9a-f]{8}\.json\.gz$/;
const MANIFEST = /\/manifest\.json\.gz/;
const beginning = ({ body }: MemoryObject = { body: Buffer.alloc(0) } as MemoryObject): string =>
  body.toString('latin1', 0, 8);

test('an encrypted delta on a listing in segments is read as any, and no name of it is clear', async () => {
  const { source, bucket, sync, run, done, keys, restored, tree } = await site();
  await sync();
  const [clear, segments] = [tree(), keys(SEGMENT)];
  expect(segments).toHaveLength(10);
  writeFileSync(join(source, 'patient-secret'), 'new');
  writeFileSync(join(source, 'patient-20'), 'other');
  rmSync(join(source, 'patient-30'));
  const second = await sync(...ALL);

  expect(keys(SEGMENT)).toEqual(segments);
  const manifests = keys(MANIFEST, second);
  expect(manifests).toHaveLength(2); // and its copy, as it tells of a deletion
  for (const key of manifests) expect([key, beginning(bucket.get(key))]).toEqual([key, 'ARCHENC1']);
  expect(json(await done('dataset', 'versions', URL, ...ID, '--json'))['versions']).toMatchObject([
    { version: 2, listing: 'delta' },
    { version: 1, listing: 'full' },
  ]);
  expect(await restored(1)).toEqual(clear);
  expect(await restored(2)).toEqual(tree());
  for (const version of ['1', '2'])
    expect(json(await done('verify', URL, ...ID, '--version', version, '--deep', '--json'))).toMatchObject({
      ok: true,
      warnings: [],
    });
  const listed = await done('list', `${URL}/uploads/${second}`);
  expect([listed.includes('patient-secret'), listed.includes('patient-49'), listed.includes('patient-30')]).toEqual([
    true,
    true,
    false,
  ]);
  const diff = await run('dataset', 'diff', URL, ...ID, '--from', '1', '--to', '2', '--json');
  expect(json(diff.stdout)).toMatchObject({ added: 1, modified: 1, deleted: 1 });
});

test('a compaction makes one encrypted manifest of that chain, and its segments go', async () => {
  const { source, bucket, sync, done, keys, restored, tree } = await site();
  await sync();
  writeFileSync(join(source, 'patient-20'), 'other');
  const second = await sync(...ALL);
  const prune = ['dataset', 'prune', URL, ...ID, '--keep-last', '1', '--yes', '--instant', '--json'];

  expect(json(await done(...prune))).toMatchObject({ compacted: [2], retired: [{ version: 1 }], warnings: [] });

  expect(keys(SEGMENT)).toEqual([]);
  expect(keys(MANIFEST)).toEqual([expect.stringContaining(`${second}/manifest.json.gz`)]);
  expect(beginning(bucket.get(keys(MANIFEST)[0] ?? ''))).toBe('ARCHENC1');
  expect(await restored(2)).toEqual(tree());
  await done('verify', URL, ...ID, '--deep');
  // What is built on it is encrypted, too.
  writeFileSync(join(source, 'patient-21'), 'other');
  const third = await sync();
  expect(keys(MANIFEST, third).map((key) => beginning(bucket.get(key)))).toEqual(['ARCHENC1']);
  expect(await restored(3)).toEqual(tree());
});

test('encrypted chunks with a clear manifest leave it in segments, which are shared, and put back when one is lost', async () => {
  const { source, bucket, sync, run, done, keys, restored, tree } = await site();
  const first = await sync(...CHUNKS);
  writeFileSync(join(source, 'patient-20'), 'other');
  const second = await sync();

  expect([keys(SEGMENT, first).length, keys(SEGMENT, second).length]).toEqual([10, 1]);
  for (const key of keys(/\.zst$/))
    expect(bucket.get(key)?.headers).toMatchObject({ 'x-amz-server-side-encryption': 'aws:kms' });
  expect(await restored(2)).toEqual(tree());
  await done('verify', URL, ...ID, '--deep');
  const [lost = ''] = keys(SEGMENT, first);
  const body = bucket.get(lost)?.body;
  bucket.delete(lost);
  expect((await run('verify', URL, ...ID)).status).toBe(1);
  // As on a computer that has nothing of it in a cache.
  rmSync(join(source, '..', 'home'), { recursive: true });
  await done('repair', `${URL}/uploads/${second}`, '--execute');
  expect(bucket.get(lost)?.body.equals(body ?? Buffer.alloc(0))).toBe(true);
  await done('verify', URL, ...ID, '--deep');
  expect(await restored(2)).toEqual(tree());
});

test('a dataset with encrypted manifests is not planned, and is told so in one sentence', async () => {
  const { source, bucket, sync, run } = await site();
  await sync(...ALL);
  writeFileSync(join(source, 'new'), 'new');
  const before = [...bucket.keys()];

  const { status, stdout, stderr } = await run('plan', source, URL, ...ID, '--parts', '2', '--quiet');

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toBe(
    '✗ the manifests of dataset d are encrypted, which a plan cannot keep: nothing was written',
  );
  expect([...bucket.keys()]).toEqual(before);
});

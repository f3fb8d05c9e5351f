// The built program against real S3 servers, through a proxy that counts what the store is asked.
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, type RunOptions, uploadJson } from './upload-cli.js';

const COMPARE = fileURLToPath(new URL('../../scripts/compare-trees.mjs', import.meta.url));
const BUCKET = 'round-trip';

/** Everything an archive has to bring back, and a few thousand small files. */
function makeTree(folder: string): void {
  mkdirSync(join(folder, 'empty'), { recursive: true });
  mkdirSync(join(folder, 'many'));
  for (let i = 0; i < 3000; i++) writeFileSync(join(folder, 'many', `file-${i}.txt`), `line ${i}\n`.repeat(i % 50));
  writeFileSync(join(folder, 'random.bin'), randomBytes(3 << 20));
  writeFileSync(join(folder, 'zero'), '');
  writeFileSync(join(folder, 'grün \u{1f333}.txt'), 'names');
  writeFileSync(Buffer.from(`${folder}/not-utf8-\xff`, 'latin1'), 'bytes');
  writeFileSync(join(folder, 'sparse'), 'head');
  truncateSync(join(folder, 'sparse'), 64 << 20);
  linkSync(join(folder, 'random.bin'), join(folder, 'hard-link'));
  symlinkSync('many/file-1.txt', join(folder, 'link'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  writeFileSync(join(folder, 'secret'), 'x');
  chmodSync(join(folder, 'secret'), 0o600);
  chmodSync(join(folder, 'empty'), 0o555);
}

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('a folder and %s', (_name, variable) => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-e2e-'));
  const tree = join(work, 'tree');
  let proxy: FaultProxy;
  let options: RunOptions;
  let location = '';

  beforeAll(async () => {
    useTestCredentials();
    const upstream = process.env[variable] ?? '';
    const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    proxy = await startFaultProxy(upstream);
    options = {
      env: {
        AWS_ENDPOINT_URL: proxy.endpoint,
        AWS_ACCESS_KEY_ID: 'archiver',
        AWS_SECRET_ACCESS_KEY: 'archiver-secret',
        AWS_REGION: 'us-east-1',
      },
    };
    makeTree(tree);
    const { document } = await uploadJson(work, [tree, `s3://${BUCKET}/lab`], options);
    location = document.location;
  });

  afterAll(async () => {
    await proxy.close();
    rmSync(work, { recursive: true, force: true });
  });

  it('comes back identical: type, size, content, mode, mtime, owner, link target, hard links', async () => {
    const output = join(work, 'all');

    const { status, stderr } = await archiver(work, ['restore', location, output, '--all'], options);

    expect(stderr).not.toMatch(/failed/);
    expect(status).toBe(0);
    expect(execFileSync(process.execPath, [COMPARE, tree, output], { encoding: 'utf8' })).toMatch(/ 0 differences/);
  });

  it('gives one file back for one GET of the manifest, a LIST and a GET of its record, and one ranged GET', async () => {
    proxy.clear();

    const { status } = await archiver(work, ['restore', location, join(work, 'one'), '--file', 'random.bin'], options);

    expect(status).toBe(0);
    expect(Object.fromEntries(proxy.counts)).toEqual({ GetObject: 3, ListObjectsV2: 1 });
  });

  it('lists with the manifest and its record, describes with one GET and a LIST of what was checked, and asks of each chunk how it is encrypted', async () => {
    proxy.clear();

    await archiver(work, ['list', location], options);
    await archiver(work, ['info', location], options);

    expect(Object.fromEntries(proxy.counts)).toEqual({
      GetObject: 3,
      ListObjectsV2: 2,
      HeadObject: expect.any(Number) as number,
    });
  });

  it('verifies, deeply too', async () => {
    const quick = await archiver(work, ['verify', location, '--quick', '--json'], options);
    const deep = await archiver(work, ['verify', location, '--deep', '--json'], options);

    expect([quick.status, deep.status]).toEqual([0, 0]);
    expect(JSON.parse(deep.stdout)).toMatchObject({ ok: true, errors: [], warnings: [] });
  });

  it('rides out a store that fails now and then', async () => {
    proxy.clear();
    for (const operation of ['PutObject', 'GetObject', 'ListObjectsV2'] as const) {
      proxy.inject({ operation, times: 2, fault: { kind: 'status', status: 503, code: 'SlowDown' } });
    }

    const { status, document } = await uploadJson(work, [tree, `s3://${BUCKET}/shaky`], options);
    const restored = await archiver(work, ['restore', document.location, join(work, 'shaky'), '--all'], options);

    expect([status, restored.status === 0 ? '' : restored.stderr]).toEqual([0, '']);
  });

  it('takes a chunk whose answer was lost as its own', async () => {
    proxy.clear();
    proxy.inject({ operation: 'PutObject', times: 3, fault: { kind: 'lost-answer' } });

    const { status } = await uploadJson(work, [tree, `s3://${BUCKET}/lost`], options);

    expect(status).toBe(0);
  });

  it('sends a chunk again that was acknowledged and is not there, before the manifest', async () => {
    proxy.clear();
    proxy.inject({ operation: 'PutObject', times: 1, fault: { kind: 'ack' } });

    const { status, document } = await uploadJson(work, [tree, `s3://${BUCKET}/vanished`], options);
    const verified = await archiver(work, ['verify', document.location, '--deep', '--json'], options);

    expect([status, verified.status]).toEqual([0, 0]);
  });

  it('stores equal files once, evens out the shards, and gives everything back', { timeout: 180_000 }, async () => {
    proxy.clear();
    const twins = join(work, 'twins');
    mkdirSync(join(twins, 'copies'), { recursive: true });
    for (let i = 0; i < 6; i++) {
      const content = randomBytes(3_500_000);
      writeFileSync(join(twins, `${i}.bin`), content);
      if (i < 2) writeFileSync(join(twins, 'copies', `${i}.bin`), content);
    }
    // All of one type, so in one shard, in several chunks.
    const shards = ['--shard-count', '8', '--shard-strategy', 'type', '--memory-limit', '192MiB'];
    const upload = await uploadJson(work, [twins, `s3://${BUCKET}/twins`, '--enable-dedup', ...shards], options);
    const { location } = upload.document;

    const balanced = await archiver(work, ['balance', location, '--execute', '--threshold', '1.2', '--json'], options);
    const verified = await archiver(work, ['verify', location, '--deep', '--json'], options);
    const output = join(work, 'twins-out');
    const restored = await archiver(work, ['restore', location, output, '--all', '-q'], options);

    expect(upload.document).toMatchObject({ deduplicated: { files: 2, bytes: 7_000_000 } });
    expect(upload.document.storedBytes).toBeLessThan(22_000_000);
    expect([balanced.status, restored.status]).toEqual([0, 0]);
    expect(proxy.counts.get('CopyObject')).toBeGreaterThan(0);
    const verdict = JSON.parse(verified.stdout) as { ok: boolean; errors: unknown[]; warnings: { message: string }[] };
    expect([verdict.ok, verdict.errors]).toEqual([true, []]);
    // What was moved stays where it was until a prune takes it.
    expect(new Set(verdict.warnings.map(({ message }) => message))).toEqual(
      new Set(['nothing in the manifest refers to this object']),
    );
    expect(execFileSync(process.execPath, [COMPARE, twins, output], { encoding: 'utf8' })).toMatch(/ 0 differences/);
  });

  it('lets four uploads of one folder at once take four versions', async () => {
    proxy.clear();

    const runs = await Promise.all(
      Array.from({ length: 4 }, () => uploadJson(work, [join(tree, 'many'), `s3://${BUCKET}/rivals`], options)),
    );

    expect(new Set(runs.map(({ document }) => document.version))).toEqual(new Set([1, 2, 3, 4]));
  });
});

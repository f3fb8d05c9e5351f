// A direct upload to real S3 servers, through a proxy that counts what the store is asked.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, type RunOptions, uploadJson } from './upload-cli.js';

const COMPARE = fileURLToPath(new URL('../../scripts/compare-trees.mjs', import.meta.url));
const BUCKET = 'direct-upload';
const MANY = 120;
/** Names that servers and proxies like to get wrong. */
const NAMES = [
  'a b+c&d=e?f#g%h',
  'caf\u00e9',
  '\u6f22 \u{1f333}',
  "it's (1) [2] *~!",
  'quote"',
  'line\nend',
  'Same',
  'same',
  '...',
];

function makeTree(folder: string): void {
  mkdirSync(join(folder, 'many', 'empty folder'), { recursive: true });
  mkdirSync(join(folder, 'names'));
  for (let i = 0; i < MANY; i++) writeFileSync(join(folder, 'many', `file-${i}.txt`), `line ${i}\n`.repeat(i % 50));
  for (const name of NAMES) writeFileSync(join(folder, 'names', name), name);
  writeFileSync(join(folder, 'random.bin'), noise(3 << 20));
  linkSync(join(folder, 'random.bin'), join(folder, 'hard-link'));
  symlinkSync('many/file-1.txt', join(folder, 'link'));
}

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW'],
  ['moto server', 'ARCHIVER_TEST_MOTO'],
])('a direct upload and %s', (_name, variable) => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-e2e-'));
  const tree = join(work, 'tree');
  let client: S3Client;
  let proxy: FaultProxy;
  let options: RunOptions;
  let location = '';
  let stderr = '';

  const key = (path: string): string => `${location.slice(`s3://${BUCKET}/`.length)}/files/${path}`;

  beforeAll(async () => {
    useTestCredentials();
    const upstream = process.env[variable] ?? '';
    client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
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
    // Answers that are lost, and a store that is slow to take things, come in between.
    proxy.inject({ operation: 'PutObject', times: 3, fault: { kind: 'lost-answer' } });
    proxy.inject({ operation: 'PutObject', times: 3, fault: { kind: 'status', status: 503, code: 'SlowDown' } });
    const ran = await uploadJson(work, [tree, `s3://${BUCKET}/lab`, '--direct-upload'], options);
    ({ location } = ran.document);
    ({ stderr } = ran);
  });

  afterAll(async () => {
    await proxy.close();
    client.destroy();
    rmSync(work, { recursive: true, force: true });
  });

  it('stores every file as it is, under its own path', async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: key('') }));
    const plain = NAMES.filter((name) => !['line\nend', 'Same', 'same'].includes(name));

    expect(Contents).toHaveLength(MANY + NAMES.length + 1);
    for (const path of [...plain.map((name) => `names/${name}`), 'many/file-0.txt', 'many/file-49.txt', 'hard-link']) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key(path) }));
      expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(readFileSync(join(tree, path)))).toBe(true);
    }
  });

  it('warns of nothing, though many requests wait for one signal', () => {
    expect(stderr).not.toContain('Warning');
  });

  it('comes back identical, and verifies', async () => {
    const output = join(work, 'all');

    const restored = await archiver(work, ['restore', location, output, '--all'], options);
    const deep = await archiver(work, ['verify', location, '--deep', '--json'], options);

    expect(restored.status).toBe(0);
    expect(execFileSync(process.execPath, [COMPARE, tree, output], { encoding: 'utf8' })).toMatch(/ 0 differences/);
    expect(JSON.parse(deep.stdout)).toMatchObject({ ok: true, errors: [], warnings: [] });
  });

  it('gives one file back for four requests', async () => {
    proxy.clear();

    const { status } = await archiver(work, ['restore', location, join(work, 'one'), '--file', 'hard-link'], options);

    expect(status).toBe(0);
    expect(Object.fromEntries(proxy.counts)).toEqual({ GetObject: 3, ListObjectsV2: 1 });
  });

  it('costs a PUT a file, and a few for the tables, the manifest and the version', async () => {
    proxy.clear();

    const { document } = await uploadJson(work, [tree, `s3://${BUCKET}/counted`, '--direct-upload'], options);

    const { PutObject = 0 } = Object.fromEntries(proxy.counts);
    expect([PutObject, document.requests['put']]).toEqual([document.chunks + 2, document.chunks + 2]);
    expect(document.chunks).toBeLessThan(MANY + NAMES.length + 1 + 10);
  });
});

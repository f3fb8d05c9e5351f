// The built program and cold storage classes. On moto objects come back when they were looked at as often as it is told; on
// the Ceph gateway classes are labels, nothing can be asked back, and everything is given.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, makeFolder, type Ran, uploadJson } from './upload-cli.js';

const BUCKET = 'slow-thaws';
const LOOKS = 6;

describe('cold storage on moto', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-thaw-'));
  const source = makeFolder(work, 'source');
  const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
  };
  const restore = async (...args: readonly string[]): Promise<Ran & { readonly document: Record<string, unknown> }> => {
    const ran = await archiver(work, ['restore', ...args, '--json', '--quiet'], { env });
    return { ...ran, document: JSON.parse(ran.stdout) as Record<string, unknown> };
  };
  const uploadCold = async (prefix: string, storageClass: string): Promise<string> => {
    // Content of its own: what is in the cache need not come back from cold storage.
    for (let i = 0; i < 12; i++) writeFileSync(join(source, `file-${i}`), `${prefix} ${i} `.repeat(5000));
    const args = [source, `s3://${BUCKET}/${prefix}`, '--storage-class', storageClass];
    return (await uploadJson(work, args, { env })).document.location;
  };
  const setTransition = (transition: object): Promise<Response> =>
    fetch(`${endpoint}/moto-api/state-manager/set-transition`, {
      method: 'POST',
      body: JSON.stringify({ model_name: 's3::keyrestore', transition }),
    });
  let location = '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    await setTransition({ progression: 'manual', times: LOOKS });
    location = await uploadCold('one', 'GLACIER');
  });

  afterAll(async () => {
    await setTransition({ progression: 'immediate' });
    rmSync(work, { recursive: true, force: true });
  });

  it('asks once, tells that it is on its way, and restores directly when it is back', async () => {
    const out = join(work, 'out');

    const first = await restore(location, out, '--all');
    expect(first.document).toMatchObject({ status: 'pending', costUsd: expect.any(Number) as number, isAws: false });
    const second = await restore(location, out, '--all');
    expect(second.document).toMatchObject({ status: 'pending', readyBy: null });
    expect(second.document['requests']).toMatchObject({ other: 0, put: 0 });

    let last = second;
    for (let run = 0; run < LOOKS && last.document['status'] === 'pending'; run++)
      last = await restore(location, out, '--all');
    expect(last.document).toMatchObject({ status: 'completed', files: 12, failed: [] });
    expect(readdirSync(out)).toHaveLength(12);
  });

  it('waits with --wait until everything is back', async () => {
    const cold = await uploadCold('two', 'DEEP_ARCHIVE');
    const out = join(work, 'waited');

    const { status, document: restored } = await restore(cold, out, '--all', '--wait', '--poll-interval', '1s');

    expect(status).toBe(0);
    expect(restored).toMatchObject({ status: 'completed', files: 12 });
    expect(readdirSync(out)).toHaveLength(12);
  });

  it('becomes a job that waits, is ready, and is downloaded', async () => {
    const cold = await uploadCold('job', 'GLACIER');
    const out = join(work, 'of-a-job');
    const { document } = await restore(cold, out, '--file', 'file-3', '--file', 'file-7');
    const id = String(document['jobId']);

    const early = await restore('jobs', 'download', id);
    expect([early.status, early.document['error']]).toMatchObject([1, { code: 'cold-storage' }]);
    let status: unknown = 'pending';
    for (let look = 0; look <= LOOKS && status === 'pending'; look++) {
      const checked = await restore('jobs', 'check', id);
      [{ status }] = checked.document['jobs'] as [{ status: unknown }];
    }
    expect(status).toBe('ready');
    const done = await restore('jobs', 'download', id);

    expect(done.status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(['file-3', 'file-7']);
    expect((await restore('jobs', 'list')).document['jobs']).toContainEqual(
      expect.objectContaining({ jobId: id, status: 'completed' }),
    );
  });

  it('asks for nothing when it would cost more than the cap', async () => {
    const cold = await uploadCold('cap', 'DEEP_ARCHIVE');

    const refused = await restore(cold, join(work, 'never'), '--all', '--max-restore-cost', '0.0000001');
    const planned = await restore(cold, join(work, 'never'), '--all', '--dry-run');

    expect(refused.status).toBe(4);
    expect(refused.document['error']).toMatchObject({ message: expect.stringContaining('would cost $') as string });
    const chunks = planned.document['coldChunks'] as readonly { state: string }[];
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.every(({ state }) => state === 'cold')).toBe(true);
  });
});

describe('cold storage classes on the Ceph gateway', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-labels-'));
  const source = makeFolder(work, 'source');
  const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'archiver',
    AWS_SECRET_ACCESS_KEY: 'archiver-secret',
    AWS_REGION: 'us-east-1',
  };
  let location = '';

  beforeAll(async () => {
    useTestCredentials();
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: 'labels' }));
    for (const name of ['a', 'b']) writeFileSync(join(source, name), `content of ${name}`);
    const upload = await uploadJson(work, [source, 's3://labels', '--storage-class', 'DEEP_ARCHIVE'], { env });
    ({ location } = upload.document);
  });

  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it.each([
    ['everything', ['--all'], ['a', 'b']],
    ['one file', ['--file', 'b'], ['b']],
    ['everything with --wait', ['--all', '--wait'], ['a', 'b']],
  ])('a restore of %s reads them as they are, and leaves no job', async (what, flags, names) => {
    const out = join(work, what.replaceAll(' ', '-'));
    const home = makeFolder(work, `home-${what.replaceAll(' ', '-')}`);

    const ran = await archiver(home, ['restore', location, out, ...flags, '--quiet'], { env });

    expect([ran.status, ran.stderr]).toEqual([0, '']);
    expect(readdirSync(out).sort()).toEqual(names);
    expect(readFileSync(join(out, 'b'), 'utf8')).toBe('content of b');
    const jobs = join(home, '.archiver', 'restore-jobs');
    expect(existsSync(jobs) ? readdirSync(jobs) : []).toEqual([]);
  });

  it('cat, download and verify --deep read them, too', async () => {
    const cat = await archiver(work, ['shell', location, '-c', 'cat b'], { env });
    const download = await archiver(work, ['download', location, join(work, 'downloaded'), '--quiet'], { env });
    const verify = await archiver(work, ['verify', location, '--deep', '--quiet'], { env });

    expect([cat.stdout, cat.stderr]).toEqual(['content of b', '']);
    expect([cat.status, download.status, verify.status]).toEqual([0, 0, 0]);
  });
});

// A server that enforces policies: each single action denied to credentials of the Ceph gateway.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestCredentials } from '../support/open-s3.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

const BUCKET = 'denied-actions';
const ACTIONS = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:ListBucket'] as const;
type Action = (typeof ACTIONS)[number];
const conf = process.env['ARCHIVER_TEST_RGW_CONF'];

interface Failed {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

describe.skipIf(conf === undefined)('credentials that may not do everything, on the Ceph gateway', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-e2e-'));
  const source = join(work, 'source');
  const base = `s3://${BUCKET}/lab`;
  const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
  let s3: S3Client;

  const allow = async (actions: readonly Action[]): Promise<void> => {
    const statement = {
      Effect: 'Allow',
      Principal: { AWS: ['arn:aws:iam:::user/limited'] },
      Action: actions,
      Resource: [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`],
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await s3.send(new PutBucketPolicyCommand({ Bucket: BUCKET, Policy }));
  };
  const without = (...denied: readonly Action[]): Promise<void> =>
    allow(ACTIONS.filter((action) => !denied.includes(action)));
  const run = (args: readonly string[], user = 'limited'): Promise<Ran> => {
    const keys = { AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: `${user}-secret` };
    const env = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'us-east-1', ...keys };
    return archiver(join(work, 'home'), [...args, '--json', '--quiet'], { env });
  };
  const document = async <T>(...args: readonly string[]): Promise<T> => JSON.parse((await run(args)).stdout) as T;
  const failure = async (...args: readonly string[]): Promise<Failed['error'] & { readonly status: number | null }> => {
    const { status, stdout } = await run(args);
    return { status, ...(JSON.parse(stdout) as Failed).error };
  };

  beforeAll(async () => {
    useTestCredentials();
    const user = ['user', 'create', '--uid=limited', '--display-name=limited'];
    execFileSync('radosgw-admin', ['-c', conf ?? '', ...user, '--access-key=limited', '--secret-key=limited-secret'], {
      stdio: 'ignore',
    });
    s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
    mkdirSync(join(work, 'home'));
    mkdirSync(source);
    writeFileSync(join(source, 'one'), 'one');
  });

  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('a writer that may only put keeps versions from its own cache', async () => {
    await allow(['s3:PutObject']);
    const sync = ['sync', source, base, '--writer-id', 'nas'];
    const first = await document<UploadDocument>(...sync);
    writeFileSync(join(source, 'two'), 'two');
    const second = await document<UploadDocument & { readonly added: number }>(...sync);
    const third = await document<{ readonly noChanges: boolean; readonly requests: Record<string, number> }>(...sync);

    expect([first.version, second.version, second.added]).toEqual([1, 2, 1]);
    expect(third).toMatchObject({ noChanges: true });
    expect(third.requests['put']).toBe(0);
    await without('s3:PutObject', 's3:DeleteObject');
    const restored = await run(['restore', second.location, join(work, 'out'), '--all']);
    expect(restored.status).toBe(0);
    expect(readFileSync(join(work, 'out', 'two'), 'utf8')).toBe('two');
  });

  it('without s3:PutObject nothing is uploaded, and the action is named', async () => {
    await without('s3:PutObject');

    expect(await failure('upload', source, `${base}/put`)).toMatchObject({
      status: 1,
      code: 'access-denied',
      hint: expect.stringContaining('s3:PutObject') as string,
    });
    await allow(ACTIONS);
    expect(await document('dataset', 'list', `${base}/put`)).toMatchObject({ datasets: [] });
  });

  it('without s3:GetObject nothing of others is read, and the action is named', async () => {
    // The gateway lets whoever put an object read it, so somebody else has to have put it.
    await allow(ACTIONS);
    const { stdout } = await run(['upload', source, `${base}/get`], 'archiver');
    const { location } = JSON.parse(stdout) as UploadDocument;
    await without('s3:GetObject');

    const hint = expect.stringContaining('s3:GetObject') as string;
    for (const args of [
      ['info', location],
      ['verify', location],
      ['restore', location, join(work, 'unread'), '--all'],
    ])
      expect({ args, ...(await failure(...args)) }).toMatchObject({ status: 1, code: 'access-denied', hint });
  });

  it('without s3:ListBucket reading an upload works, and what needs a listing names the action', async () => {
    await without('s3:ListBucket');
    const { location } = await document<UploadDocument>('upload', source, `${base}/list`);

    for (const args of [
      ['list', location],
      ['info', location],
      ['restore', location, join(work, 'unlisted'), '--file', 'one'],
    ])
      expect({ args, status: (await run(args)).status }).toEqual({ args, status: 0 });
    const hint = expect.stringContaining('s3:ListBucket') as string;
    for (const args of [
      ['dataset', 'list', `${base}/list`],
      ['restore', `${base}/list`, join(work, 'never'), '--all', '--dataset-id', 'source-00000000'],
    ])
      expect({ args, ...(await failure(...args)) }).toMatchObject({ status: 1, code: 'access-denied', hint });
  });

  it('without s3:DeleteObject a prune retires and marks, and one that is to delete names the action', async () => {
    await without('s3:DeleteObject');
    const folder = `${base}/delete`;
    const { datasetId } = await document<UploadDocument>('sync', source, folder);
    for (const version of [2, 3]) {
      writeFileSync(join(source, 'one'), `changed ${version}`);
      await document('sync', source, folder);
    }

    const prune = ['dataset', 'prune', folder, '--dataset-id', datasetId, '--force', '--keep-last'];
    const marked = await document<{ readonly deletedObjects: number }>(...prune, '2');
    const pruned = await failure(...prune, '2', '--instant');

    expect(marked.deletedObjects).toBe(0);
    expect(pruned).toMatchObject({ status: 1, code: 'access-denied' });
    expect(`${pruned.message} ${pruned.hint}`).toContain('s3:DeleteObject');
    for (const version of ['2', '3']) {
      const output = join(work, `version-${version}`);
      const args = ['restore', folder, output, '--all', '--dataset-id', datasetId, '--version', version];
      expect((await run(args)).status).toBe(0);
    }
    expect(readFileSync(join(work, 'version-2', 'one'), 'utf8')).toBe('changed 2');
  });
});

// The life of a writer in an account: minted, held to its policy, taken down. On a moto of its own that checks every request against IAM. It
// takes no listing with a prefix for signed, whoever asks, so a proxy denies them to the writer, who does without.
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateAccessKeyCommand, CreateUserCommand, IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

const command = process.env['ARCHIVER_TEST_MOTO_COMMAND'];
const Bucket = 'fleet-moto';
const BASE = `s3://${Bucket}/lab`;
const HEARTBEAT = 'lab/writers/nas/status.json';

interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe.skipIf(command === undefined)('a writer in an account, on moto with IAM', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-fleet-'));
  const source = join(work, 'source');
  let server: ChildProcess | undefined;
  let endpoint = '';
  let admin: Keys = { accessKeyId: 'setup', secretAccessKey: 'setup' };
  let writer: Keys = admin;
  let uploaded: UploadDocument;

  const run = ({ accessKeyId, secretAccessKey }: Keys, args: readonly string[], url = endpoint): Promise<Ran> => {
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_ENDPOINT_URL: url };
    return archiver(join(work, 'home'), [...args, '--json', '--quiet'], { env: { ...env, AWS_REGION: 'us-east-1' } });
  };
  const s3 = (credentials: Keys): S3Client =>
    new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1, credentials });
  const statusOf = (asked: Promise<unknown>): Promise<number | undefined> =>
    asked.then(
      () => 200,
      (error: { readonly $metadata?: { readonly httpStatusCode?: number } }) => error.$metadata?.httpStatusCode,
    );

  beforeAll(async () => {
    mkdirSync(join(work, 'home'));
    mkdirSync(source);
    writeFileSync(join(source, 'one'), 'one');
    const port = await freePort();
    endpoint = `http://127.0.0.1:${port}`;
    server = spawn(command ?? '', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore', detached: true });
    while ((await fetch(endpoint).catch(() => undefined)) === undefined) await sleep(200);

    const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials: admin });
    await iam.send(new CreateUserCommand({ UserName: 'ann' }));
    const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
    const PolicyDocument = JSON.stringify(policy);
    await iam.send(new PutUserPolicyCommand({ UserName: 'ann', PolicyName: 'all', PolicyDocument }));
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: 'ann' }));
    admin = { accessKeyId: AccessKey?.AccessKeyId ?? '', secretAccessKey: AccessKey?.SecretAccessKey ?? '' };
    await s3(admin).send(new CreateBucketCommand({ Bucket }));
    // From here on every request is checked.
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '0' });
  });

  afterAll(() => {
    // The command may be a wrapper: its own process group is ended as a whole.
    if (server?.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    rmSync(work, { recursive: true, force: true });
  });

  it('is minted with a key that works', async () => {
    const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    writeFileSync(join(work, 'key.pub'), pem);
    const bundle = join(work, 'bundle');
    const flags = ['--writer-id', 'nas', '--public-key', join(work, 'key.pub'), '--out', bundle, '--mint'];

    const minted = await run(admin, ['fleetagent', 'init', BASE, ...flags]);

    expect(minted).toMatchObject({ status: 0 });
    const words = /aws_access_key_id = (\S+)\naws_secret_access_key = (\S+)/.exec(
      readFileSync(join(bundle, 'credentials'), 'utf8'),
    );
    writer = { accessKeyId: words?.[1] ?? '', secretAccessKey: words?.[2] ?? '' };
    const proxy = await startFaultProxy(endpoint);
    proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
    const ran = await run(writer, ['upload', source, BASE, '--writer-id', 'nas'], proxy.endpoint);
    await proxy.close();
    expect(ran).toMatchObject({ status: 0 });
    uploaded = JSON.parse(ran.stdout) as UploadDocument;
    const client = s3(writer);
    for (const Body of ['first', 'second'])
      expect(await statusOf(client.send(new PutObjectCommand({ Bucket, Key: HEARTBEAT, Body })))).toBe(200);
  });

  it('cannot read, list elsewhere, delete or write elsewhere', async () => {
    const client = s3(writer);
    const known = { Bucket, Key: `lab/writers/nas/${uploaded.manifestKey}` };

    expect(await statusOf(s3(admin).send(new HeadObjectCommand(known)))).toBe(200);
    expect({
      get: await statusOf(client.send(new GetObjectCommand(known))),
      head: await statusOf(client.send(new HeadObjectCommand(known))),
      delete: await statusOf(client.send(new DeleteObjectCommand(known))),
      list: await statusOf(client.send(new ListObjectsV2Command({ Bucket, Prefix: 'lab/' }))),
      put: await statusOf(client.send(new PutObjectCommand({ Bucket, Key: 'lab/writers/other/a', Body: 'a' }))),
      config: await statusOf(
        client.send(new PutObjectCommand({ Bucket, Key: 'lab/fleet/nas/config.yaml', Body: 'a' })),
      ),
    }).toEqual({ get: 403, head: 403, delete: 403, list: 403, put: 403, config: 403 });
  });

  it('is restored by somebody who may read', async () => {
    // moto takes no signed listing, and a restore by URL asks for the record.
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: 'inf' });
    const ran = await run(admin, ['restore', uploaded.location, join(work, 'out'), '--all']);
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: '0' });

    expect(ran).toMatchObject({ status: 0 });
    expect(readFileSync(join(work, 'out', 'one'), 'utf8')).toBe('one');
  });

  it('is taken down, twice, and its key with it', async () => {
    const first = await run(admin, ['fleetagent', 'scuttle', 'nas']);
    const again = await run(admin, ['fleetagent', 'scuttle', 'nas']);

    expect([first.status, again.status]).toEqual([0, 0]);
    expect(JSON.parse(first.stdout)).toMatchObject({ isUserDeleted: true, isPolicyDeleted: true });
    expect(JSON.parse(again.stdout)).toMatchObject({ isUserDeleted: false, isPolicyDeleted: false });
    expect(await statusOf(s3(writer).send(new PutObjectCommand({ Bucket, Key: HEARTBEAT, Body: 'a' })))).toBe(403);
  });

  it('is purged of its data on request, which others keep', async () => {
    // moto takes no listing of versions for signed.
    await fetch(`${endpoint}/moto-api/reset-auth`, { method: 'POST', body: 'inf' });
    await s3(admin).send(new PutObjectCommand({ Bucket, Key: 'lab/writers/other/status.json', Body: 'a' }));

    const { status, stdout } = await run(admin, ['fleetagent', 'scuttle', 'nas', '--purge-data', BASE, '--yes']);

    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ isUserDeleted: false, purged: { failedCount: 0, leftAlone: 0 } });
    const { Contents = [] } = await s3(admin).send(new ListObjectsV2Command({ Bucket }));
    expect(Contents.map(({ Key }) => Key)).toEqual(['lab/writers/other/status.json']);
  });
});

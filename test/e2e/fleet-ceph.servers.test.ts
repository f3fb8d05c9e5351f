// A writer of a fleet under the policies that `fleetagent init` emits, on the Ceph gateway, which enforces the policy of the user. It does not
// know the condition key s3:if-none-match: the bucket policy is enforced by a gate in front of it that reads the emitted file.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateBucketCommand, paginateListObjectsV2, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signConfig } from '../../src/core/fleet/config/signature.js';
import type { PolicyDocument } from '../../src/core/fleet/bundle/policy-document.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { Rng } from '../soak/prng.js';
import { attack, HARMFUL, type Target } from '../support/attack-writer.js';
import { isAllowed } from '../support/evaluate-policy.js';
import { archiver, type Ran, type UploadDocument } from './upload-cli.js';

/** So that it can run again on the same server. */
const RUN = randomBytes(3).toString('hex');
const BUCKET = `fleet-policies-${RUN}`;
const WRITER_KEY = `fleet-nas-${RUN}`;
const ADMIN_KEY = `fleet-admin-${RUN}`;
const READER_KEY = `fleet-reader-${RUN}`;
const BASE = `s3://${BUCKET}/lab`;
const VERSIONS = 10;
const REQUESTS = 2000;
const WRITER = 'arn:aws:iam::123456789012:user/archiver/archiver-nas';
const conf = process.env['ARCHIVER_TEST_RGW_CONF'];
const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
/** Set by hand to attack for longer than a suite may take. */
const attackSeconds = Number(process.env['ARCHIVER_ATTACK_SECONDS'] ?? 0);
const everything = {
  Version: '2012-10-17',
  Statement: [{ Sid: 'All', Effect: 'Allow', Action: ['*'], Resource: ['*'] }],
} as const;
const reading = {
  Version: '2012-10-17',
  Statement: [
    { Sid: 'List', Effect: 'Allow', Action: ['s3:ListBucket'], Resource: [`arn:aws:s3:::${BUCKET}`] },
    { Sid: 'Read', Effect: 'Allow', Action: ['s3:GetObject'], Resource: [`arn:aws:s3:::${BUCKET}/lab/*`] },
  ],
} as const;

const clientOf = (user: string, url: string): S3Client =>
  new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: user, secretAccessKey: `${user}-secret` },
  });

describe.skipIf(conf === undefined)('a writer under the emitted policies, on the Ceph gateway', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-fleet-'));
  const source = join(work, 'source');
  const keys = generateKeyPairSync('ed25519');
  const made: UploadDocument[] = [];
  const archived: object[] = [];
  let gate: FaultProxy;
  let target: Target;

  const run = (user: string, args: readonly string[], url = endpoint): Promise<Ran> => {
    const env = { AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: `${user}-secret`, AWS_ENDPOINT_URL: url };
    return archiver(join(work, 'home'), [...args, '--json', '--quiet'], { env: { ...env, AWS_REGION: 'us-east-1' } });
  };
  const addUser = async (user: string, policy: PolicyDocument): Promise<void> => {
    const args = ['user', 'create', `--uid=${user}`, `--display-name=${user}`, `--access-key=${user}`];
    execFileSync('radosgw-admin', ['-c', conf ?? '', ...args, `--secret-key=${user}-secret`], { stdio: 'ignore' });
    const credentials = { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' };
    const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials });
    const PolicyDocument = JSON.stringify(policy);
    await iam.send(new PutUserPolicyCommand({ UserName: user, PolicyName: 'fleet', PolicyDocument }));
    iam.destroy();
  };
  const emitted = (name: string): PolicyDocument =>
    JSON.parse(readFileSync(join(work, 'bundle', name), 'utf8')) as PolicyDocument;

  /** Objects of the writer by key. */
  const stored = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    const pages = paginateListObjectsV2(
      { client: clientOf('archiver', endpoint) },
      { Bucket: BUCKET, Prefix: 'lab/writers/nas/' },
    );
    for await (const { Contents = [] } of pages) for (const { Key = '', ETag = '' } of Contents) found.set(Key, ETag);
    return found;
  };

  const contents = (folder: string): object =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

  /** What a reader gets back of every version. */
  const restored = async (): Promise<readonly object[]> => {
    const found: object[] = [];
    for (const { datasetId, version } of made) {
      const output = join(work, `out-${version}`);
      const selector = ['--dataset-id', datasetId, '--version', String(version)];
      const ran = await run(READER_KEY, ['restore', `${BASE}/writers/nas`, output, '--all', ...selector]);
      found.push(ran.status === 0 ? contents(output) : ran);
    }
    return found;
  };

  beforeAll(async () => {
    mkdirSync(join(work, 'home'));
    mkdirSync(source);
    writeFileSync(join(work, 'key.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
    const flags = ['--writer-id', 'nas', '--public-key', join(work, 'key.pub'), '--out', join(work, 'bundle')];
    await run('nobody', ['fleetagent', 'init', BASE, ...flags]);
    await addUser(WRITER_KEY, emitted('iam-policy.json'));
    await addUser(READER_KEY, reading);
    // The owner of a bucket reads nothing there that others have put.
    await addUser(ADMIN_KEY, everything);
    const admin = clientOf('archiver', endpoint);
    await admin.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const foreign = [
      'lab/writers/other/status.json',
      'lab/fleet/other/config.yaml',
      'lab/uploads/a',
      'lab/writers/nas2/a',
    ];
    for (const Key of foreign) await admin.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'of others' }));

    const bucketPolicy = emitted('bucket-policy.json');
    gate = await startFaultProxy(endpoint);
    gate.inject({
      fault: { kind: 'status', status: 403, code: 'AccessDenied' },
      when: (operation, { url = '', headers }) => {
        if (!/^(?:PutObject|CopyObject|UploadPart|CreateMultipartUpload|CompleteMultipartUpload)$/.test(operation))
          return false;
        const header = headers['if-none-match'];
        const keys = { 'aws:PrincipalArn': WRITER, ...(header !== undefined && { 's3:if-none-match': header }) };
        const path = decodeURIComponent(new URL(url, 'http://localhost').pathname.slice(1));
        return !isAllowed([everything, bucketPolicy], {
          action: 's3:PutObject',
          resource: `arn:aws:s3:::${path}`,
          keys,
        });
      },
    });
    target = { client: clientOf(WRITER_KEY, gate.endpoint), bucket: BUCKET, keys: [], foreign };
  });

  afterAll(async () => {
    await gate?.close();
    rmSync(work, { recursive: true, force: true });
  });

  it(`syncs ${VERSIONS} versions and sends heartbeats`, async () => {
    for (let version = 1; version <= VERSIONS; version += 1) {
      writeFileSync(join(source, `file-${version % 4}`), `content of ${version}`);
      archived.push(contents(source));
      const ran = await run(WRITER_KEY, ['sync', source, BASE, '--writer-id', 'nas'], gate.endpoint);
      expect({ version, ...ran }).toMatchObject({ version, status: 0 });
      made.push(JSON.parse(ran.stdout) as UploadDocument);
      const status = { Bucket: BUCKET, Key: 'lab/writers/nas/status.json', Body: `beat ${version}` };
      await target.client.send(new PutObjectCommand(status));
    }

    expect(made.map(({ version }) => version)).toEqual(Array.from({ length: VERSIONS }, (_, at) => at + 1));
    expect(made.at(-1)).toMatchObject({ added: 0, modified: 1 });
    const keys = [...(await stored()).keys()].filter((key) => !key.endsWith('/status.json'));
    target = { ...target, keys };
  });

  it.each(Object.keys(HARMFUL))('may not: %s', async (name) => {
    const rng = new Rng(name);
    const before = await stored();

    const outcome = await HARMFUL[name]!(target, rng, target.keys[0] ?? '').then(
      () => 'done',
      (error: { readonly $metadata?: { readonly httpStatusCode?: number } }) => error.$metadata?.httpStatusCode,
    );

    // 412: the object is there. 404: there is no such multipart upload.
    expect(name === 'overwrite, If-None-Match' ? [412] : [403]).toContain(outcome);
    expect(await stored()).toEqual(before);
  });

  it('access-check --try with the key of the writer says so, and with the key of the reader what that one may', async () => {
    const before = await stored();
    const tried = async (user: string): Promise<Readonly<Record<string, string>>> => {
      const ran = await run(user, ['access-check', BASE, '--try', '--writer-id', 'nas'], gate.endpoint);
      const { promises } = JSON.parse(ran.stdout) as { promises: readonly { name: string; state: string }[] };
      return Object.fromEntries(promises.map(({ name, state }) => [name, state]));
    };

    expect(await tried(WRITER_KEY)).toMatchObject({
      stores: 'holds',
      lists: 'holds',
      'reads-nothing': 'holds',
      'creates-once': 'holds',
      'overwrites-nothing': 'holds',
      'deletes-nothing': 'holds',
      'others-not-listed': 'holds',
      'others-not-written': 'holds',
      'others-not-deleted': 'holds',
    });
    expect(await tried(READER_KEY)).toMatchObject({
      stores: 'broken',
      'others-not-listed': 'broken',
      'others-not-read': 'broken',
      'others-not-written': 'holds',
      'others-not-deleted': 'holds',
    });
    const after = await stored();
    expect([...before].filter(([key, etag]) => after.get(key) !== etag)).toEqual([]);
  });

  it(`${REQUESTS} random requests with the key of the writer change nothing, and a reader restores every version`, async () => {
    const before = await stored();
    const until = Date.now() + attackSeconds * 1000;
    const goesOn = attackSeconds > 0 ? () => Date.now() < until : (sent: number) => sent < REQUESTS;

    const { tried, succeeded, added } = await attack(target, new Rng('attack'), goesOn);

    if (attackSeconds > 0)
      process.stdout.write(`${JSON.stringify({ attackSeconds, added, ...Object.fromEntries(tried) })}\n`);
    expect(succeeded).toEqual([]);
    const after = await stored();
    expect(target.keys.filter((key) => after.get(key) !== before.get(key))).toEqual([]);
    expect(added).toBeGreaterThan(0);
    // Marks that were forged are executed at once by somebody who may delete: the sweep looks at what is needed.
    const place = `${BASE}/writers/nas`;
    const dataset = ['--dataset-id', made[0]?.datasetId ?? ''];
    const prune = ['dataset', 'prune', place, ...dataset, '--keep-last', String(VERSIONS), '--instant', '--force'];
    expect(await run(ADMIN_KEY, prune)).toMatchObject({ status: 0 });
    expect(await restored()).toEqual(archived);
  }, 600_000);

  it('a forged record of the next version hides none of those before', async () => {
    const { datasetId = '' } = made[0] ?? {};
    const Key = `lab/writers/nas/datasets/${datasetId}/v${String(VERSIONS + 1).padStart(8, '0')}.json`;
    await target.client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'forged', IfNoneMatch: '*' }));

    const output = join(work, 'behind');
    const selector = ['--dataset-id', datasetId, '--version', String(VERSIONS)];
    const ran = await run(READER_KEY, ['restore', `${BASE}/writers/nas`, output, '--all', ...selector]);

    expect(ran).toMatchObject({ status: 0 });
    expect(contents(output)).toEqual(archived.at(-1));
  });

  it('an agent fetches its config and archives three cycles', async () => {
    const folder = join(work, 'watched');
    mkdirSync(folder);
    const config = Buffer.from(`version: 1\nwriter_id: nas\nwatch_paths:\n  - path: ${folder}\n`);
    const admin = clientOf('archiver', endpoint);
    const publish = { 'config.yaml': config, 'config.yaml.sig': signConfig(config, keys.privateKey).bytes };
    for (const [name, Body] of Object.entries(publish))
      await admin.send(new PutObjectCommand({ Bucket: BUCKET, Key: `lab/fleet/nas/${name}`, Body }));
    // One cycle of what the emitted unit starts, with the key where the bundle has it.
    const unit = readFileSync(join(work, 'bundle', 'archiver-nas.service'), 'utf8');
    const [, words = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    const call = [...words.replace('/etc/archiver/nas', join(work, 'bundle')).split(' '), '--once'];
    const cycles: object[] = [];

    for (let cycle = 1; cycle <= 3; cycle++) {
      writeFileSync(join(folder, `file-${cycle}`), `of cycle ${cycle}`);
      const ran = await run(WRITER_KEY, call, gate.endpoint);
      cycles.push(ran.status === 0 ? (JSON.parse(ran.stdout) as object) : ran);
    }

    const cycleOf = (version: number, comparedWith: string): object => ({
      configVersion: 1,
      isHealthy: true,
      troubles: [],
      sourceCycles: [{ version, added: 1, comparedWith, reason: null }],
    });
    expect(cycles).toMatchObject([cycleOf(1, 'none'), cycleOf(2, 'cache'), cycleOf(3, 'cache')]);
    const output = join(work, 'out-watched');
    const restoring = ['restore', `${BASE}/writers/nas`, output, '--all', '--dataset', 'watched'];
    expect((await run(READER_KEY, restoring)).status).toBe(0);
    expect(contents(output)).toEqual(contents(folder));
  });
});

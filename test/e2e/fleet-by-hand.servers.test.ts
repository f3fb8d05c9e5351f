// A writer on a server without the IAM of AWS, by the README of its bundle: two users of Ceph's gateway, the one who stores and the one whose
// bucket it is, who may read nothing of it without a policy of its own; and the end of the writer, by hand and by `scuttle`.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IAMClient, PutUserPolicyCommand } from '@aws-sdk/client-iam';
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signConfig } from '../../src/core/fleet/config/signature.js';
import { archiver, type Ran } from './upload-cli.js';

const RUN = randomBytes(3).toString('hex');
const ID = `hand-${RUN}`;
const WRITER = `archiver-${ID}`;
const OPERATOR = `operator-${RUN}`;
const BUCKET = `fleet-by-hand-${RUN}`;
const BASE = `s3://${BUCKET}/lab`;
const conf = process.env['ARCHIVER_TEST_RGW_CONF'];
const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
const credentialsOf = (user: string) => ({ accessKeyId: user, secretAccessKey: `${user}-secret` });

describe.skipIf(conf === undefined)('a writer on Ceph, by the README of its bundle', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-by-hand-'));
  const keys = generateKeyPairSync('ed25519');
  const bundle = join(work, 'bundle');

  const run = (user: string, args: readonly string[]): Promise<Ran> => {
    const { accessKeyId, secretAccessKey } = credentialsOf(user);
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_REGION: 'us-east-1' };
    return archiver(join(work, 'home'), [...args, '--json', '--quiet'], {
      env: { ...env, AWS_ENDPOINT_URL: endpoint },
    });
  };
  const admin = (...args: readonly string[]): void =>
    void execFileSync('radosgw-admin', ['-c', conf ?? '', ...args], { stdio: 'ignore' });
  const keyOf = (user: string): readonly string[] => [`--access-key=${user}`, `--secret-key=${user}-secret`];
  const clientOf = (user: string): S3Client =>
    new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: credentialsOf(user) });
  /** As `aws iam put-user-policy` does. */
  const givePolicy = async (UserName: string, PolicyName: string, file: string): Promise<void> => {
    const iam = new IAMClient({ endpoint, region: 'us-east-1', credentials: credentialsOf('archiver') });
    const PolicyDocument = readFileSync(join(bundle, file), 'utf8');
    await iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument }));
    iam.destroy();
  };
  const agent = (): Promise<Ran> => {
    const unit = readFileSync(join(bundle, `archiver-${ID}.service`), 'utf8');
    const [, words = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    return run(WRITER, [...words.replace(`/etc/archiver/${ID}`, bundle).split(' '), '--once']);
  };
  const verify = (): Promise<Ran> => run(OPERATOR, ['verify', `${BASE}/writers/${ID}`, '--deep']);

  beforeAll(async () => {
    for (const name of ['home', 'source']) mkdirSync(join(work, name));
    writeFileSync(join(work, 'source', 'one'), 'one');
    writeFileSync(join(work, 'key.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }));
    const server = ['--endpoint-url', endpoint, '--provider', 'ceph'];
    const flags = ['--writer-id', ID, '--public-key', join(work, 'key.pub'), '--out', bundle, ...server];
    const made = await run('nobody', ['fleetagent', 'init', BASE, ...flags]);
    if (made.status !== 0) throw new Error(made.stderr);
    // Step 1 of the README.
    admin('user', 'create', `--uid=${WRITER}`, `--display-name=${WRITER}`, '--max-buckets=-1', ...keyOf(WRITER));
    await givePolicy(WRITER, `${WRITER}-write`, 'iam-policy.json');
    admin('user', 'create', `--uid=${OPERATOR}`, `--display-name=${OPERATOR}`, ...keyOf(OPERATOR));
    const operator = clientOf(OPERATOR);
    await operator.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const config = Buffer.from(`version: 1\nwriter_id: ${ID}\nwatch_paths:\n  - path: ${join(work, 'source')}\n`);
    const files = { 'config.yaml': config, 'config.yaml.sig': signConfig(config, keys.privateKey).bytes };
    for (const [name, Body] of Object.entries(files))
      await operator.send(new PutObjectCommand({ Bucket: BUCKET, Key: `lab/fleet/${ID}/${name}`, Body }));
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('names the commands that these tests run', () => {
    const readme = readFileSync(join(bundle, 'README.md'), 'utf8');

    for (const command of [
      `radosgw-admin user create --uid=${WRITER} --display-name=${WRITER} --max-buckets=-1`,
      `aws iam put-user-policy --user-name ${WRITER} --policy-name ${WRITER}-write --policy-document file://iam-policy.json`,
      'aws iam put-user-policy --user-name OPERATOR --policy-name archiver-operator --policy-document file://operator-policy.json',
      `radosgw-admin user suspend --uid=${WRITER}`,
      `archiver fleetagent scuttle ${ID} --endpoint-url ${endpoint} --provider ceph --purge-data ${BASE} --yes`,
    ])
      expect(readme).toContain(command);
  });

  it('stores what the owner of the bucket reads with a policy of its own, and not without', async () => {
    expect(await agent()).toMatchObject({ status: 0 });

    const before = await verify();
    await givePolicy(OPERATOR, 'archiver-operator', 'operator-policy.json');
    const after = await verify();

    expect(before.status).toBe(1);
    expect(JSON.parse(before.stdout)).toMatchObject({ error: { code: 'access-denied' } });
    expect(after).toMatchObject({ status: 0 });
    const out = join(work, 'out');
    expect(await run(OPERATOR, ['restore', `${BASE}/writers/${ID}`, out, '--all'])).toMatchObject({ status: 0 });
    expect(readFileSync(join(out, 'one'), 'utf8')).toBe('one');
    expect(await run(OPERATOR, ['fleet', 'status', BASE])).toMatchObject({ status: 0 });
  });

  it('takes its config on a new machine, whatever version the stolen key of the writer has noted', async () => {
    const forged = `lab/writers/${ID}/config-v99999999`;
    await clientOf(WRITER).send(new PutObjectCommand({ Bucket: BUCKET, Key: forged, Body: '' }));
    rmSync(join(work, 'home'), { recursive: true });
    mkdirSync(join(work, 'home'));

    const ran = await agent();

    expect(JSON.parse(ran.stdout)).toMatchObject({
      configVersion: 1,
      writerFindings: expect.arrayContaining([
        {
          finding: 'version-forged',
          source: null,
          detail: expect.stringContaining(`writers/${ID}/config-v99999999 says that version 99999999`) as string,
        },
      ]) as object,
    });
    expect(ran.status).toBe(3);
  });

  it('is taken down by hand, and what it stored by scuttle, which says what is left to do', async () => {
    admin('user', 'suspend', `--uid=${WRITER}`);
    const suspended = await agent();
    const server = ['--endpoint-url', endpoint, '--provider', 'ceph'];

    const scuttled = await run(OPERATOR, ['fleetagent', 'scuttle', ID, ...server, '--purge-data', BASE, '--yes']);

    expect(suspended.status).toBe(1);
    expect(suspended.stdout).toContain('does not accept these credentials (UserSuspended)');
    expect(scuttled.status).toBe(0);
    expect(JSON.parse(scuttled.stdout)).toMatchObject({
      userName: WRITER,
      isUserDeleted: false,
      revokeByHand: `\`radosgw-admin user suspend --uid=${WRITER}\` on a host of the cluster`,
      purged: { found: { uploadCount: 2 }, failedCount: 0 },
    });
    expect(scuttled.stderr).toContain('the key of the writer is not revoked');
    const { Contents = [] } = await clientOf(OPERATOR).send(new ListObjectsV2Command({ Bucket: BUCKET }));
    expect(Contents).toEqual([]);
  });

  it('needs data to delete, and a provider only there', async () => {
    const alone = await run(OPERATOR, ['fleetagent', 'scuttle', ID, '--endpoint-url', endpoint]);
    const aws = await run(OPERATOR, ['fleetagent', 'scuttle', ID, '--provider', 'ceph']);

    expect([alone.status, aws.status]).toEqual([2, 2]);
    expect(alone.stdout).toContain('it needs --purge-data S3_URL');
  });
});

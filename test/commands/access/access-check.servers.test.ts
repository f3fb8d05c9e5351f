// The posture of buckets as real servers tell it. What a server does not have is unknown, and never ok.
import {
  CreateBucketCommand,
  PutBucketAclCommand,
  PutBucketEncryptionCommand,
  PutBucketOwnershipControlsCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CreateKeyCommand, KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import {
  DeletePublicAccessBlockCommand,
  PutPublicAccessBlockCommand as PutAccountBlock,
  S3ControlClient,
} from '@aws-sdk/client-s3-control';
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { policy, statement, to } from '../../core/access/policies.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const ALL_ON = { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true };
const ACCOUNT = '123456789012';
const RUN = randomBytes(3).toString('hex');

interface Found {
  readonly overall: string;
  readonly findings: readonly {
    readonly check: string;
    readonly severity: string;
    readonly detail: string | null;
    readonly remediation: string | null;
  }[];
}

const run = async (endpoint: string, ...argv: readonly string[]): Promise<CommandRun> =>
  await runCommand(
    { root: program(), folder: await tempFolder(), env: { NO_COLOR: '1', AWS_REGION: 'us-east-1' }, columns: 80 },
    [...argv, '--endpoint-url', endpoint],
  );

const checked = async (endpoint: string, ...argv: readonly string[]): Promise<Found> => {
  const { status, stdout, stderr } = await run(endpoint, 'access-check', ...argv, '--json');
  if (status !== 0) throw new Error(`status ${status}: ${stdout} ${stderr}`);
  return json(stdout) as unknown as Found;
};

const severities = ({ findings }: Found): Record<string, string> =>
  Object.fromEntries(findings.map(({ check, severity }) => [check, severity]));

const clientOf = (endpoint: string): S3Client => new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });

describe.each([
  ['Ceph RADOS Gateway', 'ARCHIVER_TEST_RGW', 'unknown'],
  ['moto server', 'ARCHIVER_TEST_MOTO', 'info'],
])('access-check on the %s', (_name, variable, ofAccount) => {
  const endpoint = process.env[variable] ?? '';
  const client = clientOf(endpoint);
  const make = async (Bucket: string): Promise<string> => {
    await client.send(new CreateBucketCommand({ Bucket }));
    return Bucket;
  };

  beforeAll(useTestCredentials);

  test('a bucket as it is made', async () => {
    const found = severities(await checked(endpoint, `s3://${await make(`access-plain-${RUN}`)}/lab`));

    expect(found).toMatchObject({ bucket: 'ok', 'bucket-policy': 'ok', acl: 'ok', 'account-block': ofAccount });
    expect(found['public-access-block']).not.toBe('ok');
    expect(found['ownership']).toBe('warn');
  });

  test('a public policy and a public ACL are critical, and warnings once they are blocked', async () => {
    const Bucket = await make(`access-open-${RUN}`);
    const Policy = policy(statement({ Resource: `arn:aws:s3:::${Bucket}/*` }));
    await client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    await client.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
    const open = await checked(endpoint, '-b', Bucket, '-p', 'lab');

    expect(severities(open)).toMatchObject({ 'bucket-policy': 'critical', acl: 'critical' });
    expect(open.overall).toBe('critical');
    expect(open.findings.find(({ check }) => check === 'acl')?.remediation).toBe(
      `aws s3api put-bucket-acl --bucket ${Bucket} --acl private --region us-east-1 --endpoint-url ${endpoint}`,
    );

    await client.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: ALL_ON }));
    const blocked = severities(await checked(endpoint, `s3://${Bucket}`));
    expect(blocked).toMatchObject({ 'public-access-block': 'ok', 'bucket-policy': 'warn' });
    expect(blocked['acl']).not.toBe('critical');
  });

  test('a policy for an account, enforced ownership, encryption and versioning are ok', async () => {
    const Bucket = await make(`access-closed-${RUN}`);
    const root = { AWS: `arn:aws:iam::${ACCOUNT}:root` };
    await client.send(new PutBucketPolicyCommand({ Bucket, Policy: to(root).replaceAll('acme', Bucket) }));
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const found = severities(await checked(endpoint, `s3://${Bucket}`));

    expect(found).toMatchObject({ 'bucket-policy': 'ok', versioning: 'ok', acl: 'ok' });
  });

  test('the table is within 80 columns, apart from commands to copy', async () => {
    const { status, stdout } = await run(endpoint, 'access-check', `s3://access-open-${RUN}`);
    const tooLong = stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ aws '));

    expect([status, tooLong]).toEqual([0, []]);
    expect(stdout).toMatch(/^bucket-policy +WARN +public, cut off by RestrictPublicBuckets$/m);
  });

  test('a bucket that is not there is an exit status of 1', async () => {
    const { status, stderr } = await run(endpoint, 'access-check', `s3://access-nowhere-${RUN}`);

    expect([status, stderr]).toEqual([1, expect.stringContaining(`there is no bucket access-nowhere-${RUN}`)]);
  });

  test('an upload stops before it sends anything where access is as bad as --fail-on, and goes on elsewhere', async () => {
    const folder = await tempFolder();
    writeFileSync(join(folder, 'one'), 'one');
    const Bucket = await make(`access-gate-${RUN}`);
    await client.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }));
    const upload = (...argv: readonly string[]): Promise<CommandRun> =>
      run(endpoint, 'upload', folder, `s3://${Bucket}/lab`, '--check-access', ...argv, '--json');

    const stopped = await upload('--fail-on', 'critical');
    expect([stopped.status, json(stopped.stdout)['error']]).toEqual([
      4,
      expect.objectContaining({ code: 'access-posture', message: expect.stringContaining('acl (public)') as string }),
    ]);
    const empty = await run(endpoint, 'dataset', 'list', `s3://${Bucket}/lab`, '--json');
    expect(json(empty.stdout)['datasets']).toEqual([]);

    await client.send(new PutBucketAclCommand({ Bucket, ACL: 'private' }));
    // Ownership is a warning on both.
    expect((await upload('--fail-on', 'warn')).status).toBe(4);
    const done = await upload('--fail-on', 'critical');
    expect([done.status, json(done.stdout)['access']]).toEqual([0, expect.objectContaining({ overall: 'warn' })]);
    expect(done.stderr).toContain('ownership');
  });
});

describe('access-check on the Ceph RADOS Gateway', () => {
  const endpoint = process.env['ARCHIVER_TEST_RGW'] ?? '';
  const conf = process.env['ARCHIVER_TEST_RGW_CONF'];

  beforeAll(useTestCredentials);

  /** What a user of the gateway gets. */
  const runAs = async (user: string, ...argv: readonly string[]): Promise<CommandRun> => {
    const saved = { ...process.env };
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: `${user}-secret` });
    try {
      return await run(endpoint, 'access-check', ...argv);
    } finally {
      process.env = saved;
    }
  };

  test('keys that it does not know are an exit status of 1', async () => {
    const { status, stderr } = await runAs('nobody', `s3://access-plain-${RUN}`);

    expect([status, stderr]).toEqual([1, expect.stringContaining('does not accept these credentials')]);
  });

  test.skipIf(conf === undefined)(
    'what a user may not ask is unknown with its action, and the rest is told',
    async () => {
      const name = `asker-${RUN}`;
      const user = ['user', 'create', `--uid=${name}`, '--display-name=asker', `--access-key=${name}`];
      execFileSync('radosgw-admin', ['-c', conf ?? '', ...user, `--secret-key=${name}-secret`], { stdio: 'ignore' });
      const Bucket = `access-asked-${RUN}`;
      await clientOf(endpoint).send(new CreateBucketCommand({ Bucket }));
      const Policy = policy(
        statement({
          Principal: { AWS: `arn:aws:iam:::user/${name}` },
          Action: ['s3:ListBucket', 's3:GetBucketAcl', 's3:GetBucketVersioning'],
          Resource: `arn:aws:s3:::${Bucket}`,
        }),
      );
      await clientOf(endpoint).send(new PutBucketPolicyCommand({ Bucket, Policy }));

      const { status, stdout } = await runAs(name, `s3://${Bucket}`);
      expect(status).toBe(0);
      expect(stdout).toMatch(/^bucket +OK /m);
      expect(stdout).toMatch(/^acl +OK /m);
      expect(stdout).toMatch(/^versioning +INFO /m);
      expect(stdout).toMatch(/^bucket-policy +UNKNOWN +needs s3:GetBucketPolicy$/m);
    },
  );
});

describe('access-check on the moto server', () => {
  const endpoint = process.env['ARCHIVER_TEST_MOTO'] ?? '';
  const client = clientOf(endpoint);
  const kms = new KMSClient({ endpoint, region: 'us-east-1' });
  const control = new S3ControlClient({
    endpoint,
    region: 'us-east-1',
    endpointProvider: () => ({ url: new URL(endpoint) }),
  });

  beforeAll(useTestCredentials);

  test('the account counts as well: what it blocks is blocked, setting by setting', async () => {
    const Bucket = `access-account-${RUN}`;
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(
      new PutPublicAccessBlockCommand({
        Bucket,
        PublicAccessBlockConfiguration: { ...ALL_ON, RestrictPublicBuckets: false },
      }),
    );
    const before = await checked(endpoint, `s3://${Bucket}`);
    await control.send(
      new PutAccountBlock({
        AccountId: ACCOUNT,
        PublicAccessBlockConfiguration: { RestrictPublicBuckets: true },
      }),
    );
    const after = await checked(endpoint, `s3://${Bucket}`);
    await control.send(new DeletePublicAccessBlockCommand({ AccountId: ACCOUNT }));

    expect(severities(before)).toMatchObject({ 'public-access-block': 'warn', 'account-block': 'info' });
    expect(severities(after)).toMatchObject({ 'public-access-block': 'ok', 'account-block': 'info' });
    expect(after).toMatchObject({ account: ACCOUNT, callerArn: expect.stringContaining(`::${ACCOUNT}:`) as string });
  });

  test('the policy and the state of the key of the bucket, or of the one that is named', async () => {
    const Bucket = `access-keys-${RUN}`;
    await client.send(new CreateBucketCommand({ Bucket }));
    const key = async (Policy?: string): Promise<string> =>
      (await kms.send(new CreateKeyCommand(Policy === undefined ? {} : { Policy }))).KeyMetadata?.Arn ?? '';
    const own = await key();
    const open = await key(policy(statement({ Action: 'kms:*', Resource: '*' })));
    const dying = await key();
    await kms.send(new ScheduleKeyDeletionCommand({ KeyId: dying.split('/').at(-1), PendingWindowInDays: 7 }));
    await client.send(
      new PutBucketEncryptionCommand({
        Bucket,
        ServerSideEncryptionConfiguration: {
          Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: own } }],
        },
      }),
    );
    await client.send(
      new PutBucketOwnershipControlsCommand({
        Bucket,
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
      }),
    );

    const found = await checked(endpoint, `s3://${Bucket}`);
    expect(severities(found)).toMatchObject({ encryption: 'ok', 'kms-key-policy': 'ok', ownership: 'ok' });
    const named = async (id: string): Promise<Record<string, string>> =>
      severities(await checked(endpoint, `s3://${Bucket}`, '--kms-key-id', id));
    expect(await named(open)).toMatchObject({ 'kms-key-policy': 'critical' });
    expect(await named(dying)).toMatchObject({ 'kms-key': 'critical' });
    expect(await named('alias/none')).toMatchObject({ 'kms-key-policy': 'unknown' });
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../../src/commands/fleet/fleetagent/iam-policy.js';
import { type CommandRun, json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { treeOf } from '../../../support/tree-of.js';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const root = treeOf([command], [{ path: 'fleetagent', summary: 'writers' }], 'one command');
const run = (folder: string, ...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder }, ['fleetagent', 'iam-policy', ...argv]);

test('prints a policy that can be given to IAM as it is, and with --json within a document', async () => {
  const folder = await tempFolder();

  const { status, stdout } = await run(folder, 's3://acme/lab', '--writer-id', 'nas', '--write-only');
  const document = json((await run(folder, 's3://acme/lab', '--writer-id', 'nas', '--write-only', '--json')).stdout);

  expect(status).toBe(0);
  expect(document).toMatchObject({ location: 's3://acme/lab', policy: JSON.parse(stdout) as object });
  expect(json(stdout)['Statement']).toMatchObject([
    { Action: ['s3:PutObject'], Resource: ['arn:aws:s3:::acme/lab/writers/nas/*'] },
    { Action: ['s3:ListBucket'], Condition: { StringLike: { 's3:prefix': ['lab/writers/nas/*'] } } },
    {
      Action: ['s3:GetObject'],
      Resource: ['arn:aws:s3:::acme/lab/fleet/nas/config.yaml', 'arn:aws:s3:::acme/lab/fleet/nas/config.yaml.sig'],
    },
    { Effect: 'Deny' },
  ]);
});

test('with --object-lock allows to lock and does not deny it', async () => {
  const args = ['s3://acme/lab', '--writer-id', 'nas', '--write-only', '--object-lock'];
  const { stdout } = await run(await tempFolder(), ...args);

  expect(json(stdout)['Statement']).toMatchObject([{ Action: ['s3:PutObject', 's3:PutObjectRetention'] }, {}, {}, {}]);
  expect(stdout.match(/Retention"/g)).toEqual(['Retention"', 'Retention"']);
  expect(stdout.match(/s3:PutObjectRetention/g)).toHaveLength(1);
});

test('for MinIO has no actions that it refuses, and its one partition', async () => {
  const args = ['s3://acme', '--writer-id', 'nas', '--provider', 'minio', '--region', 'cn-north-1'];
  const { status, stdout } = await run(await tempFolder(), ...args);

  expect(status).toBe(0);
  expect(stdout).not.toContain('Acl');
  expect(stdout).toContain('"arn:aws:s3:::acme/writers/nas/*"');
});

test('writes to a file with -o', async () => {
  const folder = await tempFolder();

  const { status, stdout } = await run(folder, 's3://acme', '-o', 'policy.json');

  expect([status, stdout]).toEqual([0, `written to ${join(folder, 'policy.json')}\n`]);
  expect(json(readFileSync(join(folder, 'policy.json'), 'utf8'))['Version']).toBe('2012-10-17');
});

test('ARNs in China begin otherwise', async () => {
  const { stdout } = await run(await tempFolder(), 's3://acme', '--region', 'cn-north-1');

  expect(stdout).toContain('"arn:aws-cn:s3:::acme/*"');
});

test.each([
  [['s3://acme/*'], 'cannot stand in a policy'],
  [['s3://acme', '--writer-id', '*'], 'cannot be used'],
  [['s3://acme', '--writer-id', '${aws:username}'], 'cannot be used'],
  [['s3://acme', '--writer-id', 'auto'], 'name the writer'],
  [['s3://acme', '--kms-key-arn', 'alias/backup'], 'is not the ARN of a KMS key'],
  [['s3://acme', '--region', 'us west'], 'is not a region'],
  [['file:///srv/backup'], 'is a folder, and IAM'],
  [['s3://acme', '--provider', 'garage'], 'Garage has no policies'],
  [['s3://acme', '--provider', 'r2'], 'no policies can be written for Cloudflare R2'],
  [['s3://acme', '--provider', 'minio', '--kms-key-arn', KEY], 'policies of --provider minio cannot name one'],
  [['s3://acme/writers/nas'], 'its base is wanted'],
])('%j is refused', async (argv, words) => {
  const { status, stdout, stderr } = await run(await tempFolder(), ...argv);

  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});

test('an empty writer is no writer: the policy is for everything below the base', async () => {
  const folder = await tempFolder();

  const [empty, none] = [await run(folder, 's3://acme/lab', '--writer-id', ''), await run(folder, 's3://acme/lab')];

  expect(empty).toEqual(none);
  expect(json(empty.stdout)['Statement']).toMatchObject([{ Resource: ['arn:aws:s3:::acme/lab/*'] }, {}, {}]);
});

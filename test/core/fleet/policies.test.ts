import { describe, expect, test } from 'vitest';
import { createOnlyPolicy } from '../../../src/core/fleet/bundle/bucket-policy.js';
import { checkKeyArn, fleetPlace, partitionOf } from '../../../src/core/fleet/bundle/fleet-place.js';
import { MAX_POLICY, policyText } from '../../../src/core/fleet/bundle/policy-document.js';
import { storeServer } from '../../../src/core/fleet/bundle/store-server.js';
import { writerPolicy } from '../../../src/core/fleet/bundle/writer-policy.js';
import { isAllowed } from '../../support/evaluate-policy.js';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const place = fleetPlace('s3://acme/lab');
const server = storeServer('aws', { kmsKeyArn: KEY });
const writer = { writerId: 'nas', partition: 'aws', kmsKeyArn: KEY, writeOnly: true, locks: false, server } as const;
const USER = 'arn:aws:iam::123456789012:user/archiver/archiver-nas';
const RECORD = 'lab/writers/nas/datasets/d-1/v00000001.json';
const CHUNK = 'lab/writers/nas/uploads/U/shard-00/chunk-000000.tar.zst';
const HEARTBEAT = 'lab/writers/nas/status.json';
const CONFIG = 'lab/fleet/nas/config.yaml';

/** `s3:Action key`, with what follows as `name=value`. */
function asked(line: string, principal = USER) {
  const [action = '', target = '', ...keys] = line.split(' ');
  const ofBucket = action === 's3:ListBucket' || action.includes('Bucket') || action.includes('Lifecycle');
  const resource = action.startsWith('kms:') ? target : `arn:aws:s3:::acme${ofBucket ? '' : `/${target}`}`;
  const pairs = keys.map((pair) => pair.split('=') as [string, string]);
  return { action, resource, keys: { 'aws:PrincipalArn': principal, ...Object.fromEntries(pairs) } };
}
const CREATE = 's3:if-none-match=*';

describe('a write-only writer with the policy of the bucket', () => {
  const policies = [writerPolicy(place, writer), createOnlyPolicy(place, 'aws')];
  test.each([
    `s3:PutObject ${CHUNK} ${CREATE}`,
    `s3:PutObject ${RECORD} ${CREATE}`,
    `s3:PutObject ${HEARTBEAT}`,
    's3:ListBucket - s3:prefix=lab/writers/nas/',
    's3:ListBucket - s3:prefix=lab/writers/nas/datasets/d-1/',
    `s3:GetObject ${CONFIG}`,
    `s3:GetObject ${CONFIG}.sig`,
    `kms:GenerateDataKey ${KEY}`,
  ])('may %s', (line) => expect(isAllowed(policies, asked(line))).toBe(true));

  test.each([
    `s3:PutObject ${CHUNK}`,
    `s3:PutObject ${RECORD} s3:if-match=etag`,
    `s3:GetObject ${CHUNK}`,
    `s3:GetObject ${HEARTBEAT}`,
    `s3:GetObjectVersion ${CHUNK}`,
    `s3:DeleteObject ${CHUNK}`,
    `s3:DeleteObject ${HEARTBEAT}`,
    `s3:DeleteObjectVersion ${CHUNK}`,
    `s3:AbortMultipartUpload ${CHUNK}`,
    `s3:PutObjectAcl ${CHUNK}`,
    `s3:PutObjectTagging ${CHUNK}`,
    `s3:PutObjectRetention ${CHUNK}`,
    `s3:BypassGovernanceRetention ${CHUNK}`,
    `s3:RestoreObject ${CHUNK}`,
    `s3:PutObject lab/writers/other/uploads/U/a ${CREATE}`,
    `s3:PutObject lab/writers/nas2/uploads/U/a ${CREATE}`,
    `s3:PutObject ${CONFIG} ${CREATE}`,
    `s3:PutObject lab/uploads/U/manifest.json.gz ${CREATE}`,
    's3:GetObject lab/fleet/other/config.yaml',
    's3:ListBucket -',
    's3:ListBucket - s3:prefix=',
    's3:ListBucket - s3:prefix=lab/',
    's3:ListBucket - s3:prefix=lab/writers/',
    's3:ListBucket - s3:prefix=lab/writers/nas',
    's3:ListBucket - s3:prefix=lab/fleet/nas/',
    's3:ListBucketVersions - s3:prefix=lab/writers/nas/',
    's3:PutBucketPolicy -',
    's3:DeleteBucket -',
    's3:PutLifecycleConfiguration -',
    `kms:Decrypt ${KEY}`,
    's3:PutBucketVersioning -',
  ])('may not %s', (line) => expect(isAllowed(policies, asked(line))).toBe(false));

  test('not even when somebody attaches a policy that allows everything to its user', () => {
    const everything = {
      Version: '2012-10-17',
      Statement: [{ Sid: 'All', Effect: 'Allow', Action: ['s3:*'], Resource: ['*'] }],
    } as const;

    for (const line of [`s3:GetObject ${CHUNK}`, `s3:DeleteObject ${RECORD}`, `s3:PutObject ${CHUNK}`])
      expect({ line, is: isAllowed([...policies, everything], asked(line)) }).toEqual({ line, is: false });
  });

  test('and the policy of the bucket keeps nobody else from anything: a prune replaces records', () => {
    const admin = [
      {
        Version: '2012-10-17',
        Statement: [{ Sid: 'All', Effect: 'Allow', Action: ['s3:*'], Resource: ['*'] }],
      } as const,
      createOnlyPolicy(place, 'aws'),
    ];

    expect(
      isAllowed(admin, asked(`s3:PutObject ${RECORD} s3:if-match=etag`, 'arn:aws:iam::123456789012:user/ann')),
    ).toBe(true);
  });
});

describe('the other forms', () => {
  test('a writer that may read back sees its own data and no other', () => {
    const policies = [writerPolicy(place, { ...writer, writeOnly: false })];

    for (const line of [`s3:GetObject ${CHUNK}`, `s3:AbortMultipartUpload ${CHUNK}`, `kms:Decrypt ${KEY}`])
      expect({ line, is: isAllowed(policies, asked(line)) }).toEqual({ line, is: true });
    for (const line of ['s3:GetObject lab/writers/other/uploads/U/a', `s3:DeleteObject ${CHUNK}`])
      expect({ line, is: isAllowed(policies, asked(line)) }).toEqual({ line, is: false });
  });

  test('a writer that locks may do so for longer and never for shorter', () => {
    const policies = [writerPolicy(place, { ...writer, locks: true }), createOnlyPolicy(place, 'aws')];
    const may = (line: string): boolean => isAllowed(policies, asked(line));

    expect(may(`s3:PutObjectRetention ${CHUNK}`)).toBe(true);
    for (const line of ['s3:BypassGovernanceRetention', 's3:PutObjectLegalHold', 's3:DeleteObjectVersion'])
      expect({ line, is: may(`${line} ${CHUNK}`) }).toEqual({ line, is: false });
    expect(may('s3:PutObjectRetention lab/writers/other/uploads/U/a')).toBe(false);
  });

  test('without a writer it is about everything below the base', () => {
    const policies = [writerPolicy(place, { ...writer, writerId: undefined })];

    expect(isAllowed(policies, asked(`s3:PutObject ${CHUNK}`))).toBe(true);
    expect(isAllowed(policies, asked('s3:PutObject laboratory/a'))).toBe(false);
    expect(isAllowed(policies, asked('s3:ListBucket - s3:prefix=lab/'))).toBe(true);
    expect(isAllowed(policies, asked('s3:ListBucket - s3:prefix=lab'))).toBe(false);
  });

  test('a fleet at the root of a bucket has no prefix in its policies', () => {
    const root = fleetPlace('s3://acme');

    expect(writerPolicy(root, { ...writer, writerId: undefined }).Statement[1]).not.toHaveProperty('Condition');
    expect(isAllowed([writerPolicy(root, writer)], asked('s3:PutObject writers/nas/status.json'))).toBe(true);
  });
});

describe('other servers', () => {
  const none = { kmsKeyArn: undefined };
  const textFor = (provider: 'aws' | 'minio' | 'ceph' | 'other'): string =>
    JSON.stringify(writerPolicy(place, { ...writer, kmsKeyArn: undefined, server: storeServer(provider, none) }));

  test('MinIO, and what is not known, get no actions about ACLs; all else is as for AWS', () => {
    const withoutAcls = textFor('aws').replace('"s3:PutObjectAcl","s3:PutObjectVersionAcl",', '');

    expect([textFor('minio'), textFor('other')]).toEqual([withoutAcls, withoutAcls]);
    expect(textFor('ceph')).toBe(textFor('aws'));
    expect(withoutAcls).not.toContain('Acl');
  });

  test.each([
    [undefined, undefined, 'aws'],
    [undefined, 'https://s3.dualstack.us-west-2.amazonaws.com', 'aws'],
    [undefined, 'https://s3.cn-north-1.amazonaws.com.cn', 'aws'],
    [undefined, 'https://amazonaws.com.example.org', 'other'],
    [undefined, 'https://minio.example.org', 'other'],
    ['aws', 'https://minio.example.org', 'aws'],
    ['minio', 'https://minio.example.org', 'minio'],
    ['wasabi', 'https://s3.wasabisys.com', 'other'],
  ] as const)('--provider %s at %s is %s', (provider, endpointUrl, kind) =>
    expect(storeServer(provider, { ...none, endpointUrl }).kind).toBe(kind),
  );

  test('only AWS has partitions', () => {
    expect(partitionOf('cn-north-1', { kind: 'aws' })).toBe('aws-cn');
    expect(partitionOf('cn-north-1', { kind: 'minio' })).toBe('aws');
  });
});

describe('names', () => {
  test.each([
    's3://acme/*',
    's3://acme/a?b',
    's3://acme/${aws:username}',
    's3://acme/a b',
    's3://acme/ä',
    's3://acme/a"b',
    's3://acme/a//b',
  ])('%s is refused, because it could widen a policy', (url) =>
    expect(() => fleetPlace(url)).toThrow(/cannot stand in a policy/),
  );

  test.each([
    's3://acme/lab/writers/nas',
    's3://acme/fleet/nas',
    's3://acme/uploads/20251114-093012-1a2b3c4d',
    's3://acme/lab/datasets',
  ])('%s is within a fleet', (url) => expect(() => fleetPlace(url)).toThrow(/its base is wanted/));

  test('a folder is no place for IAM', () => expect(() => fleetPlace('file:///srv')).toThrow(/is a folder/));

  test.each([
    'alias/backup',
    '1234abcd-12ab-34cd-56ef-1234567890ab',
    'arn:aws:kms:eu-west-1:123456789012:alias/backup',
    `${KEY}*`,
    'arn:aws:kms:*:123456789012:key/a',
    'arn:aws:s3:::acme',
  ])('%s is not the ARN of a key', (arn) =>
    expect(() => checkKeyArn(arn, 'aws')).toThrow(/is not the ARN of a KMS key/),
  );

  test('a key of another partition is none of the bucket', () =>
    expect(() => checkKeyArn(KEY, 'aws-cn')).toThrow(/is of aws, and the region of the bucket is of aws-cn/));

  test('the longest names that are taken make policies that IAM takes', () => {
    const longest = fleetPlace(`s3://${'b'.repeat(63)}/${'p'.repeat(256 - 69)}`);

    const text = policyText(writerPolicy(longest, { ...writer, writerId: 'w'.repeat(64), writeOnly: false }));

    expect(text.length).toBeLessThan(MAX_POLICY);
    expect(() => fleetPlace(`s3://${'b'.repeat(63)}/${'p'.repeat(256 - 68)}`)).toThrow(/257 characters/);
  });
});

// Everything about a bucket that is not its policy: blocks, ACL, ownership, encryption, keys.
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/core/access/answer.js';
import { awsCommand } from '../../../src/core/access/aws-command.js';
import { finding, reachesThreshold, SEVERITIES, THRESHOLDS, worstOf } from '../../../src/core/access/finding.js';
import {
  defaultKeyOf,
  judgeEncryption,
  judgeKeyPolicy,
  judgeKeyState,
} from '../../../src/core/access/judge-encryption.js';
import { judgeAcl, judgeOwnership, judgePolicyStatus } from '../../../src/core/access/judge-grants.js';
import { judgeVersioning } from '../../../src/core/access/judge-versioning.js';
import { effectiveBlock, judgeBlocks, SETTINGS } from '../../../src/core/access/public-access.js';
import type { AclGrant, PublicAccessBlock } from '../../../src/core/store/bucket-posture.js';
import { policy, statement, to, when } from './policies.js';

const PLACE = { bucket: 'acme' };
const OWNER = 'a'.repeat(64);
const ACCOUNT = '123456789012';

type Block = Answer<PublicAccessBlock | undefined>;
const block = (...on: readonly (keyof PublicAccessBlock)[]): Block => ({
  value: Object.fromEntries(SETTINGS.map((name) => [name, on.includes(name)])) as unknown as PublicAccessBlock,
});
const ALL = block(...SETTINGS);
const NONE: Block = { value: undefined };
const DENIED: Block = { unanswered: { action: 's3:Get', why: 'denied', isRefused: true } };

describe('Block Public Access', () => {
  test.each<[string, Block, Block, string, string]>([
    ['bucket and account', ALL, ALL, 'ok', 'ok'],
    ['the bucket alone', ALL, NONE, 'ok', 'info'],
    ['the account alone', NONE, ALL, 'ok', 'ok'],
    [
      'each has two of the four',
      block('BlockPublicAcls', 'IgnorePublicAcls'),
      block('BlockPublicPolicy', 'RestrictPublicBuckets'),
      'ok',
      'info',
    ],
    ['both lack the same', block('BlockPublicAcls'), block('BlockPublicAcls'), 'warn', 'info'],
    ['neither', NONE, NONE, 'warn', 'info'],
    ['the bucket, and the account cannot be asked', ALL, DENIED, 'ok', 'unknown'],
    ['the account cannot be asked, and the bucket has none', NONE, DENIED, 'unknown', 'unknown'],
    ['the bucket cannot be asked', DENIED, NONE, 'unknown', 'info'],
    ['the bucket cannot be asked, and the account has all', DENIED, ALL, 'unknown', 'ok'],
    ['neither can be asked', DENIED, DENIED, 'unknown', 'unknown'],
  ])('%s', (_name, bucket, account, ofBucket, ofAccount) => {
    expect(judgeBlocks(bucket, account, PLACE, ACCOUNT).map(({ severity }) => severity)).toEqual([ofBucket, ofAccount]);
  });
});

const OFF = effectiveBlock(NONE, NONE);
const ON = effectiveBlock(ALL, NONE);
const GROUPS = 'http://acs.amazonaws.com/groups';
const group = (name: string, permission = 'READ'): AclGrant => ({
  permission,
  granteeType: 'Group',
  uri: `${GROUPS}/${name}`,
});
const user = (id: string, permission = 'FULL_CONTROL'): AclGrant => ({
  permission,
  granteeType: 'CanonicalUser',
  user: id,
});

describe('the ACL', () => {
  test.each<[string, readonly AclGrant[], string]>([
    ['the owner alone', [user(OWNER)], 'ok'],
    ['no grants', [], 'ok'],
    ['everybody', [user(OWNER), group('global/AllUsers')], 'critical'],
    ['everybody may write', [group('global/AllUsers', 'WRITE_ACP')], 'critical'],
    ['every AWS account', [group('global/AuthenticatedUsers')], 'critical'],
    ['log delivery', [user(OWNER), group('s3/LogDelivery', 'WRITE')], 'info'],
    ['another user', [user(OWNER), user('b'.repeat(64), 'READ')], 'info'],
    ['a group that there is not', [group('global/Everyone')], 'unknown'],
    ['a group without a name', [{ permission: 'READ', granteeType: 'Group' }], 'unknown'],
    ['nobody', [{ permission: 'READ', granteeType: '' }], 'unknown'],
    ['a permission that there is not', [user(OWNER, 'ANYTHING')], 'unknown'],
  ])('%s', (_name, grants, severity) => {
    expect(judgeAcl({ owner: OWNER, grants }, OFF, undefined, PLACE).severity).toBe(severity);
  });

  test('a public one is a warning where it is ignored', () => {
    const acl = { owner: OWNER, grants: [group('global/AllUsers')] };

    expect(judgeAcl(acl, ON, undefined, PLACE).severity).toBe('warn');
    expect(judgeAcl(acl, OFF, 'BucketOwnerEnforced', PLACE).severity).toBe('warn');
    expect(judgeAcl(acl, OFF, 'BucketOwnerPreferred', PLACE).severity).toBe('critical');
  });

  test.each<[string, AclGrant, string]>([
    ['a grantee without an id', { permission: 'FULL_CONTROL', granteeType: 'CanonicalUser' }, 'ok'],
    ['a grantee with an empty id', user(''), 'ok'],
    ['somebody else', user('b'.repeat(64), 'READ'), 'info'],
    ['nobody', { permission: 'READ', granteeType: '' }, 'unknown'],
    ['everybody', group('global/AllUsers'), 'critical'],
  ])('of an owner without an id, as MinIO has it: %s', (_name, grant, severity) => {
    expect(judgeAcl({ owner: '', grants: [grant] }, OFF, undefined, PLACE).severity).toBe(severity);
  });

  test('one without an owner is not understood', () => {
    expect(judgeAcl({ owner: undefined, grants: [] }, OFF, undefined, PLACE)).toMatchObject({
      severity: 'unknown',
      remediation: null,
    });
  });
});

test.each([
  ['BucketOwnerEnforced', 'ok'],
  ['BucketOwnerPreferred', 'warn'],
  ['ObjectWriter', 'warn'],
  [undefined, 'warn'],
  ['Anybody', 'unknown'],
])('ownership %s is %s', (ownership, severity) => {
  expect(judgeOwnership(ownership, PLACE).severity).toBe(severity);
});

test.each([
  [undefined, 'ok'],
  [{ isPublic: false }, 'ok'],
  [{ isPublic: undefined }, 'unknown'],
  [{ isPublic: true }, 'critical'],
])("S3's verdict %j is %s", (status, severity) => {
  expect(judgePolicyStatus(status, OFF, PLACE).severity).toBe(severity);
});

test("S3's verdict is a warning where the bucket is restricted", () => {
  expect(judgePolicyStatus({ isPublic: true }, ON, PLACE).severity).toBe('warn');
});

test.each([
  ['Enabled', 'ok'],
  ['Suspended', 'info'],
  [undefined, 'info'],
  ['Sometimes', 'unknown'],
])('versioning %s is %s', (status, severity) => {
  expect(judgeVersioning({ status, mfaDelete: undefined }, PLACE).severity).toBe(severity);
});

describe('encryption', () => {
  const KEY = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234`;

  test.each<[string, Parameters<typeof judgeEncryption>[0], boolean, string]>([
    ['not set on AWS', undefined, true, 'ok'],
    ['not set elsewhere', undefined, false, 'info'],
    ['no rules', [], true, 'info'],
    ['SSE-S3', [{ algorithm: 'AES256', keyId: undefined }], true, 'ok'],
    ['SSE-KMS with the key of AWS', [{ algorithm: 'aws:kms', keyId: undefined }], true, 'ok'],
    ['SSE-KMS in two layers', [{ algorithm: 'aws:kms:dsse', keyId: KEY }], true, 'ok'],
    ['an algorithm that there is not', [{ algorithm: 'rot13', keyId: undefined }], true, 'unknown'],
    ['an empty rule', [{ algorithm: '', keyId: undefined }], true, 'unknown'],
  ])('%s', (_name, encryption, isAws, severity) => {
    expect(judgeEncryption(encryption, isAws, PLACE).severity).toBe(severity);
  });

  test('the key that is looked at is that of SSE-KMS', () => {
    expect(defaultKeyOf([{ algorithm: 'aws:kms', keyId: KEY }])).toBe(KEY);
    expect(defaultKeyOf([{ algorithm: 'aws:kms', keyId: undefined }])).toBeUndefined();
    expect(defaultKeyOf(undefined)).toBeUndefined();
  });

  const key = { arn: KEY, manager: 'CUSTOMER', state: 'Enabled' };
  const anybody = (condition: object): string =>
    policy(statement({ Action: 'kms:*', Resource: '*', Principal: { AWS: '*' }, Condition: condition }));

  test.each([
    ['the account of the key', to({ AWS: `arn:aws:iam::${ACCOUNT}:root` }), 'ok'],
    ['another account', to({ AWS: 'arn:aws:iam::210987654321:root' }), 'info'],
    ['anybody', to('*'), 'critical'],
    ['anybody in a single statement', JSON.stringify({ Statement: statement() }), 'critical'],
    ['NotPrincipal', policy(statement({ Principal: undefined, NotPrincipal: { AWS: ACCOUNT } })), 'critical'],
    ['callers of an account', anybody({ StringEquals: { 'kms:CallerAccount': ACCOUNT } }), 'info'],
    [
      'as the keys of AWS have it',
      anybody({ StringEquals: { 'kms:CallerAccount': ACCOUNT, 'kms:ViaService': 's3.eu-west-1.amazonaws.com' } }),
      'info',
    ],
    ['through a service alone', anybody({ StringEquals: { 'kms:ViaService': 's3.eu-west-1.amazonaws.com' } }), 'warn'],
    ['an organization', anybody({ StringEquals: { 'aws:PrincipalOrgID': 'o-abcdef1234' } }), 'info'],
    ['roles of an account', anybody({ ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${ACCOUNT}:role/*` } }), 'info'],
    ['roles of any account', anybody({ ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::*:role/*' } }), 'critical'],
    ['callers of any account', anybody({ StringLike: { 'kms:CallerAccount': '*' } }), 'critical'],
    ['an address, which limits no key', when('IpAddress', 'aws:SourceIp', '203.0.113.9'), 'critical'],
    ['no policy', '', 'unknown'],
    ['a principal that is none', to({ AWS: 'somebody' }), 'unknown'],
  ])('a key policy for %s', (_name, text, severity) => {
    expect(judgeKeyPolicy(key, text, PLACE).severity).toBe(severity);
  });

  test.each([
    ['Enabled', undefined],
    ['Disabled', 'warn'],
    ['PendingDeletion', 'critical'],
    ['PendingReplicaDeletion', 'critical'],
    ['Unavailable', 'warn'],
    [undefined, 'warn'],
  ])('a key that is %s: %s', (state, severity) => {
    expect(judgeKeyState({ ...key, state }, PLACE)?.severity).toBe(severity);
  });
});

describe('severities', () => {
  const of = (...severities: readonly (typeof SEVERITIES)[number][]) => severities.map((one) => finding('x', one, ''));

  test('the worst counts; unknown is less than warn', () => {
    expect([worstOf([]), worstOf(of('info', 'ok')), worstOf(of('unknown', 'warn'))]).toEqual(['ok', 'info', 'warn']);
  });

  test('--fail-on: unknown trips on what is not known, warn and critical do not', () => {
    const tripped = THRESHOLDS.map((threshold) =>
      SEVERITIES.filter((severity) => reachesThreshold(severity, threshold)),
    );

    expect(tripped).toEqual([[], ['unknown', 'warn', 'critical'], ['warn', 'critical'], ['critical']]);
  });
});

test('commands are quoted for a shell, and carry how the bucket was reached', () => {
  const place = {
    bucket: 'acme',
    region: 'eu-west-1',
    profile: "o'neil; rm -rf /",
    endpoint: 'http://127.0.0.1:1/a b',
  };

  expect(awsCommand(['s3api', 'get-bucket-acl', '--bucket', 'acme'], place)).toBe(
    `aws s3api get-bucket-acl --bucket acme --region eu-west-1 --profile 'o'"'"'neil; rm -rf /' --endpoint-url 'http://127.0.0.1:1/a b'`,
  );
});

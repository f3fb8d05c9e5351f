// Each question is refused alone: its check is unknown and names the IAM action, and the others go on.
import { describe, expect, test } from 'vitest';
import { type AccessReport, checkAccess, type CheckedBucket } from '../../../src/core/access/check-access.js';
import type { AccessServices } from '../../../src/core/access/services.js';
import {
  type BucketPosture,
  POSTURE_ACTIONS,
  type PostureAnswers,
  type PostureQuestion,
} from '../../../src/core/store/bucket-posture.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { policy, statement } from './policies.js';

const ACCOUNT = '123456789012';
const KEY = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234`;
const ALL_ON = { BlockPublicAcls: true, IgnorePublicAcls: true, BlockPublicPolicy: true, RestrictPublicBuckets: true };
const OWNER = 'a'.repeat(64);
const GOOD: PostureAnswers = {
  bucket: { region: 'eu-west-1' },
  publicAccessBlock: ALL_ON,
  policy: policy(statement({ Principal: { AWS: ACCOUNT } })),
  policyStatus: { isPublic: false },
  acl: { owner: OWNER, grants: [] },
  ownership: 'BucketOwnerEnforced',
  encryption: [{ algorithm: 'aws:kms', keyId: KEY }],
  versioning: { status: 'Enabled', mfaDelete: undefined },
  versionList: true,
  objectLock: undefined,
};

type Failing = Partial<Record<PostureQuestion | 'caller' | 'accountBlock' | 'describe' | 'keyPolicy' | 'owner', Error>>;

const refused = (what: string): StoreError =>
  new StoreError('access-denied', `${what}: access denied`, { isRefused: true });

function servicesOf(failing: Failing): AccessServices {
  const orFail = <T>(name: keyof Failing, value: T): Promise<T> => {
    const error = failing[name];
    return error === undefined ? Promise.resolve(value) : Promise.reject(error);
  };
  return {
    caller: () => orFail('caller', { arn: `arn:aws:iam::${ACCOUNT}:user/x`, account: ACCOUNT }),
    accountBlock: () => orFail('accountBlock', ALL_ON),
    keys: {
      describe: () => orFail('describe', { arn: KEY, manager: 'CUSTOMER', state: 'Enabled' }),
      policy: () => orFail('keyPolicy', policy(statement({ Principal: { AWS: ACCOUNT } }))),
    },
  };
}

function check(failing: Failing, answers: Partial<PostureAnswers> = {}, isAws = true): Promise<AccessReport> {
  const posture: BucketPosture = {
    ask: (question, options) => {
      const error = failing[options?.expectedOwner === undefined ? question : 'owner'];
      return error === undefined ? Promise.resolve({ ...GOOD, ...answers }[question]) : Promise.reject(error);
    },
  };
  const checked: CheckedBucket = {
    posture,
    services: servicesOf(failing),
    place: { bucket: 'acme' },
    isAws,
    signal: new AbortController().signal,
  };
  return checkAccess(checked);
}

const unknown = ({ findings }: AccessReport): Record<string, string> =>
  Object.fromEntries(
    findings.filter(({ severity }) => severity === 'unknown').map(({ check: name, summary }) => [name, summary]),
  );

describe('access-check', () => {
  test('a bucket of which everything is known and well', async () => {
    const report = await check({});

    expect(report.findings.filter(({ severity }) => severity !== 'ok')).toEqual([]);
    expect(report.findings.map(({ check: name }) => name)).toEqual([
      'bucket',
      'public-access-block',
      'account-block',
      'bucket-policy',
      'policy-status',
      'acl',
      'ownership',
      'encryption',
      'kms-key-policy',
      'versioning',
    ]);
  });

  test.each<[PostureQuestion, readonly string[]]>([
    ['publicAccessBlock', ['public-access-block']],
    ['policy', ['bucket-policy']],
    ['policyStatus', ['policy-status']],
    ['acl', ['acl']],
    ['ownership', ['ownership']],
    ['encryption', ['encryption', 'kms-key-policy']],
    ['versioning', ['versioning']],
    // Whose bucket it is cannot be known then.
    ['bucket', ['bucket', 'account-block']],
  ])('%s refused leaves %j unknown, and names the action', async (question, checks) => {
    const action = POSTURE_ACTIONS[question];

    expect(unknown(await check({ [question]: refused(question) }))).toEqual(
      Object.fromEntries(checks.map((name) => [name, `needs ${action}`])),
    );
  });

  test.each([
    ['accountBlock', 'account-block', 'needs s3:GetAccountPublicAccessBlock'],
    ['caller', 'account-block', 'not answered (s3:GetAccountPublicAccessBlock)'],
    ['owner', 'account-block', 'not answered (s3:GetAccountPublicAccessBlock)'],
    ['describe', 'kms-key-policy', 'needs kms:DescribeKey'],
    ['keyPolicy', 'kms-key-policy', 'needs kms:GetKeyPolicy'],
  ])('%s refused leaves %s unknown', async (failing, name, summary) => {
    expect(unknown(await check({ [failing]: refused(failing) }))).toEqual({ [name]: summary });
  });

  test.each([
    ['does not know', new StoreError('unsupported', 'ListObjectVersions: not supported'), null],
    ['refuses', refused('ListObjectVersions'), expect.stringContaining('put-bucket-versioning') as string],
  ])(
    'a store that %s a listing of versions: versioning is advised only where it may have it',
    async (_, error, advice) => {
      const { findings } = await check(
        { versionList: error },
        { versioning: { status: undefined, mfaDelete: undefined } },
        false,
      );

      expect(findings.find(({ check: name }) => name === 'versioning')).toMatchObject({
        severity: 'info',
        remediation: advice,
      });
    },
  );

  test('the block of an account that the bucket does not belong to cuts nothing off', async () => {
    const answers = { publicAccessBlock: undefined, policy: policy(statement()) };
    const severityOf = async (failing: Failing): Promise<string | undefined> =>
      (await check(failing, answers)).findings.find(({ check: name }) => name === 'bucket-policy')?.severity;

    expect(await severityOf({})).toBe('warn');
    expect(await severityOf({ owner: refused('owner') })).toBe('critical');
  });

  test.each([
    ['a request that the store does not know', new StoreError('unsupported', 'not implemented')],
    ['an answer that makes no sense', new StoreError('store', 'the store answered 400 Odd')],
  ])('%s is unknown', async (_name, error) => {
    expect(Object.keys(unknown(await check({ policyStatus: error })))).toEqual(['policy-status']);
  });

  test.each([
    ['keys that are not accepted', new StoreError('credentials', 'not accepted', { reason: 'InvalidAccessKeyId' })],
    ['a store that is not reached', new StoreError('store', 'no connection', { reason: 'Unreached' })],
    ['a bucket that is gone', new StoreError('not-found', 'no bucket', { reason: 'NoSuchBucket' })],
  ])('%s ends the report', async (_name, error) => {
    await expect(check({ acl: error })).rejects.toBe(error);
  });

  test('a bucket that is not there is said', async () => {
    const missing = new StoreError('not-found', 'HeadBucket: there is no such object', { reason: 'NotFound' });

    await expect(check({ bucket: missing })).rejects.toMatchObject({
      code: 'not-found',
      message: 'there is no bucket acme',
    });
  });
});

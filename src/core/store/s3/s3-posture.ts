// Asks S3 about a bucket: one request for each question. That something is not set is an answer, which S3 gives as an error.
import {
  GetBucketAclCommand,
  GetBucketEncryptionCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  type AskPosture,
  type BucketPosture,
  POSTURE_ACTIONS,
  type PostureAnswers,
  type PostureQuestion,
} from '../bucket-posture.js';
import { StoreError } from '../store-error.js';
import type { S3Connection } from './s3-client.js';
import { type Asked, S3Sender, type SendOptions } from './s3-sender.js';

interface Bucket {
  readonly Bucket: string;
  readonly ExpectedBucketOwner?: string;
}

interface Question<T> {
  readonly operation: string;
  /** Error names for "not set"; without one the store always answers. */
  readonly unset?: readonly string[];
  readonly send: (client: S3Client, bucket: Bucket, options: SendOptions) => Promise<T>;
}

const QUESTIONS: { readonly [Q in PostureQuestion]: Question<PostureAnswers[Q]> } = {
  bucket: {
    operation: 'HeadBucket',
    send: async (client, bucket, options) => ({
      region: (await client.send(new HeadBucketCommand(bucket), options)).BucketRegion,
    }),
  },
  publicAccessBlock: {
    operation: 'GetPublicAccessBlock',
    unset: ['NoSuchPublicAccessBlockConfiguration'],
    send: async (client, bucket, options) => {
      const answer = await client.send(new GetPublicAccessBlockCommand(bucket), options);
      const { BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets } =
        answer.PublicAccessBlockConfiguration ?? {};
      return {
        BlockPublicAcls: BlockPublicAcls === true,
        IgnorePublicAcls: IgnorePublicAcls === true,
        BlockPublicPolicy: BlockPublicPolicy === true,
        RestrictPublicBuckets: RestrictPublicBuckets === true,
      };
    },
  },
  policy: {
    operation: 'GetBucketPolicy',
    unset: ['NoSuchBucketPolicy'],
    // An answer without a policy is empty text, which cannot be judged.
    send: async (client, bucket, options) =>
      (await client.send(new GetBucketPolicyCommand(bucket), options)).Policy ?? '',
  },
  policyStatus: {
    operation: 'GetBucketPolicyStatus',
    unset: ['NoSuchBucketPolicy'],
    send: async (client, bucket, options) => ({
      isPublic: (await client.send(new GetBucketPolicyStatusCommand(bucket), options)).PolicyStatus?.IsPublic,
    }),
  },
  acl: {
    operation: 'GetBucketAcl',
    send: async (client, bucket, options) => {
      const { Owner, Grants = [] } = await client.send(new GetBucketAclCommand(bucket), options);
      const grants = Grants.map(({ Permission, Grantee }) => ({
        permission: Permission ?? '',
        granteeType: Grantee?.Type ?? '',
        uri: Grantee?.URI,
        user: Grantee?.ID ?? Grantee?.EmailAddress,
      }));
      return { owner: Owner?.ID, grants };
    },
  },
  ownership: {
    operation: 'GetBucketOwnershipControls',
    unset: ['OwnershipControlsNotFoundError'],
    send: async (client, bucket, options) =>
      (await client.send(new GetBucketOwnershipControlsCommand(bucket), options)).OwnershipControls?.Rules?.[0]
        ?.ObjectOwnership,
  },
  encryption: {
    operation: 'GetBucketEncryption',
    unset: ['ServerSideEncryptionConfigurationNotFoundError'],
    send: async (client, bucket, options) => {
      const answer = await client.send(new GetBucketEncryptionCommand(bucket), options);
      const rules = answer.ServerSideEncryptionConfiguration?.Rules ?? [];
      return rules.map(({ ApplyServerSideEncryptionByDefault: rule }) => ({
        algorithm: rule?.SSEAlgorithm ?? '',
        keyId: rule?.KMSMasterKeyID,
      }));
    },
  },
  versioning: {
    operation: 'GetBucketVersioning',
    send: async (client, bucket, options) => {
      const { Status, MFADelete } = await client.send(new GetBucketVersioningCommand(bucket), options);
      return { status: Status, mfaDelete: MFADelete };
    },
  },
  versionList: {
    operation: 'ListObjectVersions',
    send: async (client, bucket, options) => {
      await client.send(new ListObjectVersionsCommand({ ...bucket, MaxKeys: 1 }), options);
      return true;
    },
  },
  objectLock: {
    operation: 'GetObjectLockConfiguration',
    unset: ['ObjectLockConfigurationNotFoundError', 'NoSuchObjectLockConfiguration'],
    send: async (client, bucket, options) => {
      const answer = await client.send(new GetObjectLockConfigurationCommand(bucket), options);
      const { ObjectLockEnabled, Rule } = answer.ObjectLockConfiguration ?? {};
      const { Mode, Days, Years } = Rule?.DefaultRetention ?? {};
      const retention = Mode === undefined ? undefined : { mode: Mode, days: Days, years: Years };
      return { isOn: ObjectLockEnabled === 'Enabled', retention };
    },
  },
};

/** Returns the questions about the whole bucket, whatever the prefix of a store in it. */
export function s3Posture(connection: S3Connection, bucket: string): BucketPosture {
  const sender = new S3Sender(connection, bucket, '');
  return {
    async ask<Q extends PostureQuestion>(
      question: Q,
      { signal, expectedOwner }: AskPosture = {},
    ): Promise<PostureAnswers[Q]> {
      const { operation, unset = [], send } = QUESTIONS[question];
      const asked: Asked = { operation, action: POSTURE_ACTIONS[question], signal };
      const input = { Bucket: bucket, ...(expectedOwner !== undefined && { ExpectedBucketOwner: expectedOwner }) };
      try {
        return await sender.send(asked, (client, options) => send(client, input, options));
      } catch (error) {
        const isUnset = error instanceof StoreError && unset.includes(error.reason ?? '');
        if (isUnset) return undefined as PostureAnswers[Q];
        throw error;
      }
    },
  };
}

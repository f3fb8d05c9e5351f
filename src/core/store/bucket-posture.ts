// Asks a bucket who may use it and how its content is kept, in the terms of S3's API. Nothing is changed.
import type { RequestCounts } from './object-store.js';
import { Retrier, type RetryOptions } from './retry/retrier.js';

/** The four settings of Block Public Access, of a bucket or of an account. */
export interface PublicAccessBlock {
  readonly BlockPublicAcls: boolean;
  readonly IgnorePublicAcls: boolean;
  readonly BlockPublicPolicy: boolean;
  readonly RestrictPublicBuckets: boolean;
}

export interface AclGrant {
  readonly permission: string;
  /** `Group`, `CanonicalUser` or `AmazonCustomerByEmail`. */
  readonly granteeType: string;
  /** URI of a group. */
  readonly uri?: string | undefined;
  /** The canonical id or the address of a user. */
  readonly user?: string | undefined;
}

export interface BucketAcl {
  readonly owner: string | undefined;
  readonly grants: readonly AclGrant[];
}

export interface DefaultEncryption {
  readonly algorithm: string;
  readonly keyId: string | undefined;
}

export interface DefaultRetention {
  readonly mode: string;
  /** One of `days` and `years` is set. */
  readonly days?: number | undefined;
  readonly years?: number | undefined;
}

/** The answer to each question; undefined where the bucket says that it is not set. */
export interface PostureAnswers {
  /** Region of the bucket, if the store says it. */
  readonly bucket: { readonly region: string | undefined };
  readonly publicAccessBlock: PublicAccessBlock | undefined;
  /** The policy in JSON, as it was put. */
  readonly policy: string | undefined;
  /** S3's own verdict on the policy; `isPublic` is undefined if the answer has none. */
  readonly policyStatus: { readonly isPublic: boolean | undefined } | undefined;
  readonly acl: BucketAcl;
  /** `BucketOwnerEnforced`, `BucketOwnerPreferred` or `ObjectWriter`. */
  readonly ownership: string | undefined;
  readonly encryption: readonly DefaultEncryption[] | undefined;
  /** `Enabled` or `Suspended`; no status where it was never set. */
  readonly versioning: { readonly status: string | undefined; readonly mfaDelete: string | undefined };
  /** True if a listing of versions is answered, whether versions are kept or not. */
  readonly versionList: true;
  /** `isOn` without retention: an object is locked only if its writer asks for it. */
  readonly objectLock: { readonly isOn: boolean; readonly retention: DefaultRetention | undefined } | undefined;
}

export type PostureQuestion = keyof PostureAnswers;

/** The IAM action that each question needs. */
export const POSTURE_ACTIONS: Readonly<Record<PostureQuestion, string>> = {
  bucket: 's3:ListBucket',
  publicAccessBlock: 's3:GetBucketPublicAccessBlock',
  policy: 's3:GetBucketPolicy',
  policyStatus: 's3:GetBucketPolicyStatus',
  acl: 's3:GetBucketAcl',
  ownership: 's3:GetBucketOwnershipControls',
  encryption: 's3:GetEncryptionConfiguration',
  versioning: 's3:GetBucketVersioning',
  versionList: 's3:ListBucketVersions',
  objectLock: 's3:GetBucketObjectLockConfiguration',
};

export interface AskPosture {
  readonly signal?: AbortSignal | undefined;
  /** Account id that must own the bucket; otherwise the store refuses. */
  readonly expectedOwner?: string | undefined;
}

export interface BucketPosture {
  /** Asks a question with one request. @throws access-denied, not-found (there is no such bucket), unsupported, store */
  ask<Q extends PostureQuestion>(question: Q, options?: AskPosture): Promise<PostureAnswers[Q]>;
}

/** Adds retries; each attempt is counted. */
export function retriedPosture(posture: BucketPosture, options: RetryOptions, counts: RequestCounts): BucketPosture {
  const retrier = new Retrier(options);
  return {
    ask: (question, options) =>
      retrier.run({ request: `ask for ${question}`, signal: options?.signal }, () => {
        counts.other += 1;
        return posture.ask(question, options);
      }),
  };
}

// The lifecycle rules of a bucket, in the form of S3's API and of `aws s3api get-bucket-lifecycle-configuration`; dates are ISO 8601.
import type { RequestCounts } from './object-store.js';
import { Retrier, type RetryOptions } from './retry/retrier.js';

export interface RuleTag {
  readonly Key: string;
  readonly Value: string;
}

interface Sizes {
  readonly ObjectSizeGreaterThan?: number;
  readonly ObjectSizeLessThan?: number;
}

export interface RuleFilter extends Sizes {
  readonly Prefix?: string;
  readonly Tag?: RuleTag;
  readonly And?: Sizes & { readonly Prefix?: string; readonly Tags?: readonly RuleTag[] };
}

export interface RuleTransition {
  readonly Days?: number;
  readonly Date?: string;
  readonly StorageClass: string;
}

export interface LifecycleRule {
  readonly ID?: string;
  /** Older form of `Filter`. */
  readonly Prefix?: string;
  readonly Filter?: RuleFilter;
  readonly Status: string;
  readonly Transitions?: readonly RuleTransition[];
  readonly Expiration?: {
    readonly Days?: number;
    readonly Date?: string;
    readonly ExpiredObjectDeleteMarker?: boolean;
  };
  readonly NoncurrentVersionTransitions?: readonly {
    readonly NoncurrentDays?: number;
    readonly NewerNoncurrentVersions?: number;
    readonly StorageClass: string;
  }[];
  readonly NoncurrentVersionExpiration?: {
    readonly NoncurrentDays?: number;
    readonly NewerNoncurrentVersions?: number;
  };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation?: number };
}

/** All rules of a bucket. */
export interface RuleSet {
  readonly rules: readonly LifecycleRule[];
  /** The setting for objects that S3 leaves where they are because they are small, as the bucket has it; absent if it has none. */
  readonly minimumSize?: string;
  /**
   * Set for a successful answer without rules, where S3 says that there is no configuration: some servers mean the same, others anything.
   */
  readonly isBlank?: true;
}

export interface BucketLifecycle {
  /** Reads the rules; none if the bucket has none. @throws access-denied, not-found, store */
  read(signal?: AbortSignal): Promise<RuleSet>;
  /** Replaces all rules; an empty set removes the configuration. @throws as `read` */
  write(set: RuleSet, signal?: AbortSignal): Promise<void>;
}

/** Adds retries; each attempt is counted. */
export function retriedLifecycle(
  lifecycle: BucketLifecycle,
  options: RetryOptions,
  counts: RequestCounts,
): BucketLifecycle {
  const retrier = new Retrier(options);
  return {
    read: (signal) =>
      retrier.run({ request: 'read lifecycle rules', signal }, () => {
        counts.other += 1;
        return lifecycle.read(signal);
      }),
    write: (set, signal) =>
      retrier.run({ request: 'write lifecycle rules', signal }, () => {
        counts.other += 1;
        return lifecycle.write(set, signal);
      }),
  };
}

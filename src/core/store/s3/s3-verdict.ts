// What a failed request to S3 was for, and what is made of its failure.
import type { ErrorCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { StoreErrorOptions } from '../store-error.js';

/** What was asked of the store when it failed. */
export interface S3Call {
  /** The API's name, e.g. `PutObject`. */
  readonly operation: string;
  /** The IAM action it needs, e.g. `s3:PutObject`. */
  readonly action: string;
  readonly bucket: string;
  /** The full key; absent for calls about the bucket. */
  readonly key?: string;
  readonly endpoint?: string | undefined;
  /** It was to be done to one state of the object only. */
  readonly isConditional?: boolean | undefined;
  /** What it was to be stored in. */
  readonly storageClass?: string | undefined;
  /** The region the request was signed for. */
  readonly region?: string;
}

/** What is read of the SDK's errors. */
export interface SdkError {
  readonly name: string;
  readonly Code?: string;
  readonly code?: string;
  readonly message: string;
  readonly StorageClass?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: {
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  };
}

/** What a failure means; `text` goes on after the request and its object. */
export interface Verdict extends StoreErrorOptions {
  readonly code: ErrorCode;
  readonly text: string;
}

/** `s3://bucket/key` as a person reads it. */
export const objectName = ({ bucket, key }: Pick<S3Call, 'bucket' | 'key'>): string =>
  printable(key === undefined ? `s3://${bucket}` : `s3://${bucket}/${key}`);

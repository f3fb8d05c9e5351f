// The types of a failed request to S3 and of the verdict on it.
import type { ErrorCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { StoreErrorOptions } from '../store-error.js';

/** The request that failed. */
export interface S3Call {
  /** The API's name, e.g. `PutObject`. */
  readonly operation: string;
  /** The IAM action it needs, e.g. `s3:PutObject`. */
  readonly action: string;
  readonly bucket: string;
  /** The full key; absent for calls about the bucket. */
  readonly key?: string;
  readonly endpoint?: string | undefined;
  /** True if the request was for one state of the object only. */
  readonly isConditional?: boolean | undefined;
  /** Storage class of the object that was to be written. */
  readonly storageClass?: string | undefined;
  /** The region the request was signed for. */
  readonly region?: string;
}

/** The parts of the SDK's errors that are read. */
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

/** The meaning of a failure; `text` continues a sentence that begins with the request and its object. */
export interface Verdict extends StoreErrorOptions {
  readonly code: ErrorCode;
  readonly text: string;
}

/** Returns `s3://bucket/key` for messages. */
export const objectName = ({ bucket, key }: Pick<S3Call, 'bucket' | 'key'>): string =>
  printable(key === undefined ? `s3://${bucket}` : `s3://${bucket}/${key}`);

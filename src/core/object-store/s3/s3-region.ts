// Which region a bucket is in: a given region wins, then the environment and the profile, then HeadBucket (on AWS only),
// then the command's default. With a custom endpoint no request is made.
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { isArchiverError } from '../../failures/errors.js';
import { untilCancelled } from '../until-cancelled.js';

interface AnsweredError {
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

/** The `x-amz-bucket-region` header of a refusal, if it has one. */
export function regionInError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const region = (error as AnsweredError).$response?.headers?.['x-amz-bucket-region'];
  return region === undefined || region === '' ? undefined : region;
}

/**
 * Asks the store where a bucket is; undefined when it does not say. A refusal says it too, so no permission is needed.
 * @throws cancelled; stalled when there were no credentials in time: the next request would wait as long again
 */
export async function detectBucketRegion(
  client: S3Client,
  bucket: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    const asking = client.send(new HeadBucketCommand({ Bucket: bucket }), signal ? { abortSignal: signal } : {});
    return (await untilCancelled(asking, signal)).BucketRegion;
  } catch (error) {
    if (isArchiverError(error)) throw error;
    return regionInError(error);
  }
}

/** The region that the environment or the profile names; undefined when neither does. */
export async function configuredRegion(
  client: S3Client,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (named !== undefined && named !== '') return named;
  // The SDK has no other way to say "no region" than to throw.
  return await client.config.region().catch(() => undefined);
}

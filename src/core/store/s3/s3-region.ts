// Finds the region of a bucket: a given region wins, then one that the address of the server names, then the environment and the profile,
// then HeadBucket (on AWS only), then the command's default. With a custom endpoint no request is made; later, what such a server says
// about a wrong region is believed.
import { GetBucketLocationCommand, HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import { isArchiverError } from '../../platform/failures/errors.js';
import { untilCancelled } from '../until-cancelled.js';

interface AnsweredError {
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
  /** An element that some servers put into all answers. */
  readonly Region?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const MISSIGNED = 'AuthorizationHeaderMalformed';
/** Pattern of regions: they go into signatures, and on AWS into the name of a host. */
const REGION = /^[\w.-]{1,64}$/;
/** AWS and MinIO: `expecting 'eu-west-1'`; Garage: `expected: '20261123/garage/s3/aws4_request'`. */
const EXPECTED = /expecting '([^'/]+)'|expected: '\d+\/([^'/]+)\/s3\/aws4_request'/;

const isRegion = (region: unknown): region is string => typeof region === 'string' && REGION.test(region);

/** Returns the region that a server wants requests to be signed for, from its refusal of another one. */
export function regionToSign(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== MISSIGNED) return undefined;
  const text = EXPECTED.exec(error.message)?.slice(1).find(Boolean);
  return [(error as AnsweredError).Region, text].find(isRegion);
}

/** Returns the region that a refusal names: in its header `x-amz-bucket-region`, or as the one to sign for. */
export function regionInError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const header = (error as AnsweredError).$response?.headers?.['x-amz-bucket-region'];
  return isRegion(header) ? header : regionToSign(error);
}

/** Whether a refusal gives no reason, as a refused HEAD, which has no body. */
export const isWithoutReason = (error: unknown): boolean =>
  error instanceof Error && (error as AnsweredError).$metadata?.httpStatusCode === 400;

/** Makes another request that can be refused with a reason; returns the refusal, or undefined if there is none. */
export async function refusalOf(client: S3Client, bucket: string, signal?: AbortSignal): Promise<unknown> {
  const command = new GetBucketLocationCommand({ Bucket: bucket });
  const asking = client.send(command, signal ? { abortSignal: signal } : {});
  return await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/**
 * Asks the store for the region of a bucket; undefined when it does not say. A refusal says it too, so no permission is needed. @throws
 * cancelled; stalled when there were no credentials in time: the next request would wait as long again
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

/** Returns the region that the environment or the profile names; undefined when neither does. */
export async function configuredRegion(
  client: S3Client,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (named !== undefined && named !== '') return named;
  // The SDK has no other way to say "no region" than to throw.
  return await client.config.region().catch(() => undefined);
}

// Reads an account's Block Public Access settings. The only file that knows the SDK of S3 Control.
import { GetPublicAccessBlockCommand, S3ControlClient } from '@aws-sdk/client-s3-control';
import type { PublicAccessBlock } from '../store/bucket-posture.js';
import type { AwsServiceSettings } from '../store/s3/aws-service.js';
import { awsServiceError } from '../store/s3/aws-service-error.js';
import { StoreError } from '../store/store-error.js';
import { untilCancelled } from '../store/until-cancelled.js';

const OPERATION = 's3:GetAccountPublicAccessBlock';

/** Reads the settings with one request; undefined when the account has none. @throws access-denied, store, cancelled */
export async function accountBlock(
  account: string,
  settings: AwsServiceSettings,
  signal: AbortSignal,
): Promise<PublicAccessBlock | undefined> {
  const endpoint = 'endpoint' in settings ? settings.endpoint : undefined;
  // AWS has a host for each account; another server has one for all.
  const client = new S3ControlClient({
    ...settings,
    ...(endpoint !== undefined && { endpointProvider: () => ({ url: new URL(endpoint) }) }),
  });
  try {
    const asking = client.send(new GetPublicAccessBlockCommand({ AccountId: account }), { abortSignal: signal });
    const { PublicAccessBlockConfiguration: block } = await untilCancelled(asking, signal);
    if (block === undefined) throw new StoreError('store', `${OPERATION}: the answer has no settings`);
    return {
      BlockPublicAcls: block.BlockPublicAcls === true,
      IgnorePublicAcls: block.IgnorePublicAcls === true,
      BlockPublicPolicy: block.BlockPublicPolicy === true,
      RestrictPublicBuckets: block.RestrictPublicBuckets === true,
    };
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchPublicAccessBlockConfiguration') return undefined;
    throw awsServiceError(error, { asked: OPERATION });
  }
}

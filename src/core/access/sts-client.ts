// Finds out whom the credentials belong to. The only file that knows the SDK of STS.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { AwsServiceSettings } from '../store/s3/aws-service.js';
import { awsServiceError } from '../store/s3/aws-service-error.js';
import { untilCancelled } from '../store/until-cancelled.js';

export interface Caller {
  readonly arn: string | undefined;
  /** Twelve digits. */
  readonly account: string | undefined;
}

/** Sends one request, which needs no permission. @throws access-denied, store, cancelled */
export async function callerIdentity(settings: AwsServiceSettings, signal: AbortSignal): Promise<Caller> {
  const client = new STSClient(settings);
  try {
    const asking = client.send(new GetCallerIdentityCommand({}), { abortSignal: signal });
    const { Arn: arn, Account: account } = await untilCancelled(asking, signal);
    return { arn, account };
  } catch (error) {
    throw awsServiceError(error, { asked: 'sts:GetCallerIdentity' });
  }
}

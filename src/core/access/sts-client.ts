// Who the credentials belong to. The only file that knows the SDK of STS.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { untilCancelled } from '../object-store/until-cancelled.js';
import { serviceError } from './service-error.js';
import type { ServiceSettings } from './service-settings.js';

export interface Caller {
  readonly arn: string | undefined;
  /** Twelve digits. */
  readonly account: string | undefined;
}

/** One request, which needs no permission. @throws access-denied, store, cancelled */
export async function callerIdentity({ settings, signal }: ServiceSettings): Promise<Caller> {
  const client = new STSClient(settings);
  try {
    const asking = client.send(new GetCallerIdentityCommand({}), { abortSignal: signal });
    const { Arn: arn, Account: account } = await untilCancelled(asking, signal);
    return { arn, account };
  } catch (error) {
    throw serviceError(error, 'sts:GetCallerIdentity');
  }
}

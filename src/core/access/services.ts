// The services that are asked beside the store: the caller's identity (STS), the account's settings (S3 Control), and who may use a key
// (KMS). Each SDK is loaded when its service is first asked.
import type { PublicAccessBlock } from '../store/bucket-posture.js';
import type { KeyInspection } from '../store/key-service.js';
import { type AwsServiceSettings, awsService } from '../store/s3/aws-service.js';
import { type NetworkSources, networkOf } from '../store/s3/s3-network.js';
import { serviceEndpointOf, type EndpointSources } from '../store/s3/s3-profile.js';
import { StoreError } from '../store/store-error.js';
import type { Caller } from './sts-client.js';

export interface ServiceSources extends EndpointSources, NetworkSources {
  readonly region: string;
  /** True when the store is AWS itself. */
  readonly isAws: boolean;
  readonly signal: AbortSignal;
}

/** Short, because a report can do without a service that does not answer. */
const TIMEOUTS = { connectMs: 5_000, idleMs: 15_000, answerMs: 15_000 };

export interface AccessServices {
  /** @throws access-denied, store, unsupported */
  caller(): Promise<Caller>;
  /** Undefined when the account has none. @throws as `caller` */
  accountBlock(account: string): Promise<PublicAccessBlock | undefined>;
  readonly keys: KeyInspection;
}

/** Opens the services for `work`; nothing is sent before one is asked. @throws what `work` throws */
export async function withServices<T>(
  sources: ServiceSources,
  work: (services: AccessServices) => Promise<T>,
): Promise<T> {
  const { env, profile, region, signal } = sources;
  const network = await networkOf(sources);
  const closing: (() => void)[] = [];
  const settingsOf = async (service: 'sts' | 's3_control'): Promise<AwsServiceSettings> => {
    const endpoint = await addressOf(service, sources);
    const settings = awsService({ env, profile, region, endpoint, network, timeouts: TIMEOUTS });
    closing.push(() => settings.requestHandler.destroy());
    return settings;
  };
  const keysOf = async (): Promise<KeyInspection> => {
    const endpoint = await addressOf('kms', sources);
    const { kmsKeys } = await import('../store/kms/kms-client.js');
    const keys = kmsKeys({ env, profile, region, endpoint, network, retry: { maxAttempts: 3 } });
    closing.push(() => keys.close());
    return keys;
  };
  let keys: Promise<KeyInspection> | undefined;
  const opened = (): Promise<KeyInspection> => (keys ??= keysOf());
  try {
    return await work({
      caller: async () => {
        const { callerIdentity } = await import('./sts-client.js');
        return await callerIdentity(await settingsOf('sts'), signal);
      },
      accountBlock: async (account) => {
        const { accountBlock } = await import('./s3control-client.js');
        return await accountBlock(account, await settingsOf('s3_control'), signal);
      },
      keys: {
        describe: async (...call) => await (await opened()).describe(...call),
        policy: async (...call) => await (await opened()).policy(...call),
      },
    });
  } finally {
    for (const close of closing) close();
  }
}

/**
 * Returns the service's address; undefined for AWS itself. Credentials of another server are never sent to AWS. @throws unsupported when
 * that would be the only choice
 */
async function addressOf(service: 'kms' | 'sts' | 's3_control', sources: ServiceSources): Promise<string | undefined> {
  const endpoint = await serviceEndpointOf(service, sources);
  if (endpoint === undefined && !sources.isAws)
    throw new StoreError('unsupported', `${service}: not asked, as the store is not AWS and no address is configured`);
  return endpoint;
}

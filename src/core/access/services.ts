// The services that are asked beside the store: who calls (STS), what the account blocks (S3 Control), who may use a key
// (KMS). Each SDK is loaded when its service is first asked.
import type { PublicAccessBlock } from '../object-store/bucket-posture.js';
import type { KeyInspection } from '../keys/key-service.js';
import { networkOf } from '../object-store/s3/s3-network.js';
import { kmsEndpoint } from '../object-store/s3/s3-profile.js';
import { StoreError } from '../object-store/store-error.js';
import { type ServiceSources, serviceHandler, serviceSettings } from './service-settings.js';
import type { Caller } from './sts-client.js';

export interface AccessServices {
  /** @throws access-denied, store, unsupported */
  caller(): Promise<Caller>;
  /** Undefined where the account has none. @throws as `caller` */
  accountBlock(account: string): Promise<PublicAccessBlock | undefined>;
  readonly keys: KeyInspection;
}

/** Opens them for `work`; nothing is sent before one is asked. @throws what `work` throws */
export async function withServices<T>(
  sources: ServiceSources,
  work: (services: AccessServices) => Promise<T>,
): Promise<T> {
  const network = await networkOf(sources);
  const handler = serviceHandler(network);
  const closing: (() => void)[] = [() => handler.destroy()];
  const keysOf = async (): Promise<KeyInspection> => {
    const endpoint = await kmsEndpoint(sources);
    if (endpoint === undefined && !sources.isAws)
      throw new StoreError('unsupported', 'kms: not asked, as the store is not AWS and no address is configured');
    const { KMS_TIMEOUTS, kmsKeys } = await import('../keys/kms-client.js');
    const keys = kmsKeys({ ...sources, endpoint, network, timeouts: KMS_TIMEOUTS, retry: { maxAttempts: 3 } });
    closing.push(() => keys.close());
    return keys;
  };
  let keys: Promise<KeyInspection> | undefined;
  const opened = (): Promise<KeyInspection> => (keys ??= keysOf());
  try {
    return await work({
      caller: async () => {
        const { callerIdentity } = await import('./sts-client.js');
        return await callerIdentity(await serviceSettings('sts', sources, handler));
      },
      accountBlock: async (account) => {
        const { accountBlock } = await import('./s3control-client.js');
        return await accountBlock(account, await serviceSettings('s3_control', sources, handler));
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

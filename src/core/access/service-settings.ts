// How STS and S3 Control are reached: with the credentials, the transport and the server of the store.
import { awsCredentials } from '../object-store/s3/s3-credentials.js';
import { S3HttpHandler } from '../object-store/s3/s3-http-handler.js';
import type { Network, NetworkSources } from '../object-store/s3/s3-network.js';
import { besideStore, type EndpointSources } from '../object-store/s3/s3-profile.js';
import { StoreError } from '../object-store/store-error.js';

export interface ServiceSources extends EndpointSources, NetworkSources {
  readonly region: string;
  /** The store is AWS itself. */
  readonly isAws: boolean;
  readonly signal: AbortSignal;
}

export interface ServiceSettings {
  readonly settings: {
    readonly region: string;
    readonly requestHandler: S3HttpHandler;
    readonly maxAttempts: number;
    readonly credentials: ReturnType<typeof awsCredentials>;
    readonly ignoreConfiguredEndpointUrls?: true;
    readonly endpoint?: string;
  };
  readonly signal: AbortSignal;
}

const SOCKETS = 2;
const ATTEMPTS = 3;
const TIMEOUTS = { connectMs: 5_000, idleMs: 15_000, answerMs: 15_000 };

/** A transport for the services; the caller destroys it. */
export const serviceHandler = (network: Network): S3HttpHandler =>
  new S3HttpHandler({ maxSockets: SOCKETS, timeouts: TIMEOUTS, network });

/**
 * The settings of a client, for whatever server it is found at. Credentials of another server are not shown to AWS. @throws unsupported
 * where only that is left; usage for a profile that contradicts itself
 */
export async function serviceSettings(
  service: 'sts' | 's3_control',
  sources: ServiceSources,
  requestHandler: S3HttpHandler,
): Promise<ServiceSettings> {
  const { region, signal, isAws } = sources;
  const endpoint = await besideStore(service, sources);
  if (endpoint === undefined && !isAws)
    throw new StoreError('unsupported', `${service}: not asked, as the store is not AWS and no address is configured`);
  const credentials = awsCredentials({ ...sources, requestHandler });
  const address = endpoint === undefined ? { ignoreConfiguredEndpointUrls: true as const } : { endpoint };
  return { settings: { region, requestHandler, maxAttempts: ATTEMPTS, credentials, ...address }, signal };
}

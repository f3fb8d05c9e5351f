// Settings for the clients of AWS services other than S3: the credentials, the profile and the transport of the store.
import { awsCredentials } from './s3-credentials.js';
import { type HttpTimeouts, S3HttpHandler } from './s3-http-handler.js';
import type { Network } from './s3-network.js';
import type { AwsSources } from './s3-profile.js';

export interface AwsServiceOptions extends AwsSources {
  readonly region: string;
  /** Address of the server; undefined for AWS itself, and no other is looked up. */
  readonly endpoint: string | undefined;
  readonly network: Network | undefined;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  readonly maxSockets?: number;
  /** Attempts of the SDK. */
  readonly maxAttempts?: number;
}

/** Time limits for a single question that is answered in a second. */
const TIMEOUTS: HttpTimeouts = { connectMs: 10_000, idleMs: 30_000, answerMs: 30_000 };
const SOCKETS = 2;
const ATTEMPTS = 3;

export type AwsServiceSettings = ReturnType<typeof awsService>;

/** Returns the settings of a client; nothing is sent. The caller destroys the `requestHandler` when it has all answers. */
export function awsService({ env, profile, credentials, region, endpoint, network, ...more }: AwsServiceOptions) {
  const timeouts = { ...TIMEOUTS, ...more.timeouts };
  const { maxSockets = SOCKETS, maxAttempts = ATTEMPTS } = more;
  const requestHandler = new S3HttpHandler({ maxSockets, timeouts, network });
  return {
    region,
    requestHandler,
    maxAttempts,
    credentials: awsCredentials({ env, profile, credentials, requestHandler }),
    ...(endpoint === undefined ? { ignoreConfiguredEndpointUrls: true as const } : { endpoint }),
    ...(profile !== undefined && { profile }),
  };
}

// Creates S3 clients the way this program needs them: no retries of its own (retry.ts), our transport, path-style addressing and no
// extra checksums with a custom endpoint, standard credential chain.
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { awsCredentials } from './s3-credentials.js';
import { regionAt, regionIn } from '../providers/address.js';
import { S3HttpHandler, type HttpHandlerOptions } from './s3-http-handler.js';
import { networkOf, type NetworkSources } from './s3-network.js';
import { missingProfile } from './s3-no-credentials.js';
import { awsProfile, type EndpointSources, storeEndpoint } from './s3-profile.js';
import { configuredRegion, detectBucketRegion } from './s3-region.js';

export interface S3ClientOptions extends EndpointSources, NetworkSources, Omit<HttpHandlerOptions, 'network'> {
  readonly bucket: string;
  readonly region?: string | undefined;
  readonly defaultRegion: string;
  readonly signal?: AbortSignal | undefined;
}

export interface S3Connection {
  readonly client: S3Client;
  readonly region: string;
  /** False when the region is only a guess, so that a hint from the server may replace it. */
  readonly isRegionGiven: boolean;
  /** Address of the server; undefined for AWS itself. */
  readonly endpoint: string | undefined;
  /** Makes a client like this one for another region. */
  readonly inRegion: (region: string) => S3Client;
  /** Returns how far this computer's clock is ahead of the server's, by the answers so far. */
  readonly clockAheadMs: () => number;
  readonly close: () => void;
}

function baseConfig(
  options: S3ClientOptions,
  requestHandler: S3HttpHandler,
  endpoint: string | undefined,
): S3ClientConfig {
  return {
    requestHandler,
    maxAttempts: 1,
    expectContinueHeader: false,
    // A put with its SHA-256 is checked by that; on AWS the SDK adds a checksum because Object Lock requires one.
    requestChecksumCalculation: endpoint === undefined ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED',
    // Every byte we read is compared with a digest from the manifest.
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The address was found already: the SDK's own search knows neither flags nor jobs.
    ...(endpoint === undefined ? { ignoreConfiguredEndpointUrls: true } : { endpoint, forcePathStyle: true }),
    credentials: awsCredentials({ ...options, requestHandler }),
    ...(options.profile === undefined ? {} : { profile: options.profile }),
  };
}

/** Builds the client and settles the region (at most one request). */
export async function connectS3(options: S3ClientOptions): Promise<S3Connection> {
  const endpoint = await storeEndpoint(options);
  // Checked here, since the SDK would go on to ask the machine for credentials.
  const missing = missingProfile(await awsProfile(options));
  if (missing !== undefined) throw missing;
  const handler = new S3HttpHandler({ ...options, network: await networkOf(options) });
  const config = baseConfig(options, handler, endpoint);
  const clients: S3Client[] = [];
  const inRegion = (region: string): S3Client => {
    const client = new S3Client({ ...config, region });
    // It would copy what is asked and answered, without what must not be logged, for a log that there is not.
    client.middlewareStack.remove('loggerMiddleware');
    clients.push(client);
    return client;
  };
  // Variables and profiles are about AWS; an address that names its region is about this store.
  const named = options.region ?? regionIn(endpoint);
  const configured = named ?? (await configuredRegion(new S3Client(config), options.env));
  const region = configured ?? (await guessRegion(options, endpoint, inRegion(options.defaultRegion)));
  const client = inRegion(region);
  return {
    client,
    region,
    isRegionGiven: configured !== undefined,
    endpoint,
    inRegion,
    clockAheadMs: () => 0 - (clients.map(clockOffsetMs).find((ms) => ms !== 0) ?? 0),
    close: () => handler.destroy(),
  };
}

/** Returns what the SDK adds to this computer's clock when it signs, since the server's answers are dated so. */
export const clockOffsetMs = ({ config }: S3Client): number => config.systemClockOffset;

async function guessRegion(options: S3ClientOptions, endpoint: string | undefined, client: S3Client): Promise<string> {
  if (endpoint !== undefined) return regionAt(endpoint) ?? options.defaultRegion;
  return (await detectBucketRegion(client, options.bucket, options.signal)) ?? options.defaultRegion;
}

// Opens a store of archives for many operations.
import { usageError } from '../core/platform/failures/errors.js';
import { openStore as openCoreStore } from '../core/store/open-store.js';
import { openSession } from '../core/store/store-session.js';
import { joinStoreUrl, splitUploadUrl } from '../core/store/store-url.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Store } from './options.js';
import { absolute, sessions } from './session.js';

/** Keys for AWS, or for another S3-compatible server. */
export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Time at which they expire; a function is called again before that. */
  readonly expiration?: Date;
}

export interface StoreOptions {
  /**
   * Credentials for a bucket. When not given: those of `env`, or else what the AWS SDK finds by itself (its variables in the process, its
   * files, the roles of a machine).
   */
  readonly credentials?: StoreKeys | (() => Promise<StoreKeys>) | undefined;
  /** Environment variables to use, with the names of AWS and others: AWS_REGION, AWS_ENDPOINT_URL, HTTPS_PROXY …; none when not given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** A profile of the AWS files. */
  readonly profile?: string | undefined;
  /** Looked up when not given. */
  readonly region?: string | undefined;
  /** Endpoint of a server that is not AWS: `https://s3.example.com`. */
  readonly endpointUrl?: string | undefined;
  /** A file of certificates (PEM) to trust instead of Node's own. */
  readonly caBundle?: string | undefined;
  /** Limit in bytes per second. */
  readonly limitUpload?: number | undefined;
  /** Limit in bytes per second. */
  readonly limitDownload?: number | undefined;
  /** Number of concurrent requests for reading content; 4 when not given. Uploads choose by themselves. */
  readonly requestsAtOnce?: number | undefined;
  /** Permission bits of files in a folder; 0o600 when not given. */
  readonly storeMode?: number | undefined;
  /**
   * Whether a bucket supports If-None-Match: `yes` vouches for it, with `no` it is not relied on; `auto`, when not given, asks the bucket
   * (and with `home` only once in 30 days).
   */
  readonly createOnce?: 'auto' | 'yes' | 'no' | undefined;
  /**
   * An absolute folder for what this computer remembers of stores, so that the next sync reads less, and a store that has lost its contents
   * is noticed. It may be the same as that of the command line. Nothing is remembered when it is not given.
   */
  readonly home?: string | undefined;
  /** Name of this computer in versions, and in the IDs of its datasets; the host name of the system when not given. */
  readonly host?: string | undefined;
  readonly now?: (() => Date) | undefined;
  /** Cancels opening. */
  readonly signal?: AbortSignal | undefined;
}

const REQUESTS_AT_ONCE = 4;
/** Listings and the like run beside the requests of an operation; an upload opens as many connections. */
const MIN_SOCKETS = 16;
const OTHER_SOCKETS = 2;

/**
 * Opens a store: `s3://bucket/prefix`, `file:///folder`, or the absolute path of a folder. At most one request is made, to find a region; a
 * folder need not exist yet.
 * @throws ArchiverError `usage` for an invalid URL, `credentials`, `cancelled`
 */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const { home, host, now = () => new Date(), requestsAtOnce = REQUESTS_AT_ONCE } = options;
  if (home !== undefined) absolute(home, 'home');
  const place = joinStoreUrl(url.startsWith('/') ? `file://${url}` : url);
  if (splitUploadUrl(place) !== undefined)
    throw usageError(`${printable(place)} is an upload; name the place above uploads/`);
  const { env = {}, profile, region, endpointUrl, caBundle, storeMode, createOnce, signal } = options;
  const session = await openSession((onEvent) =>
    openCoreStore(place, {
      env,
      credentials: credentialsOf(options),
      profile,
      region,
      endpointUrl,
      caBundle,
      storeMode,
      createOnce,
      uploadLimit: options.limitUpload,
      downloadLimit: options.limitDownload,
      maxSockets: Math.max(MIN_SOCKETS, requestsAtOnce + OTHER_SOCKETS),
      onEvent,
      signal,
    }),
  );
  const { opened } = session;
  const store: Store = {
    url: opened.store.url,
    requests: opened.requests,
    close() {
      if (sessions.delete(store)) opened.close();
    },
  };
  sessions.set(store, { ...session, home, host, now, requestsAtOnce });
  return store;
}

/** Uses keys from `env` instead of the SDK's own chain, which would read the variables of the process. */
function credentialsOf({ credentials, env = {}, profile }: StoreOptions): (() => Promise<StoreKeys>) | undefined {
  if (typeof credentials === 'function') return credentials;
  if (credentials !== undefined) return () => Promise.resolve(credentials);
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token, AWS_PROFILE: other } = env;
  if (!id || !secret || profile !== undefined || other) return undefined;
  const keys = { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
  return () => Promise.resolve(keys);
}

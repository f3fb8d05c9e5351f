// Opens a store at a URL with everything around it. From the inside out:
//   store            one method, one request; uploads are paced in here
//   meter            what is billed, for the ledger
//   observation      how long each attempt took, where metrics or traces are wanted
//   request count    so that every attempt counts
//   retry            sees the store's verdicts
//   watchdog         continues bodies through the retries
//   download limit   above it, so that waiting for the limit is not taken for a stall
//   abilities        outermost: what the store has refused to these credentials
// Beside it is the key service that decrypts what is encrypted there.
// Requests of file stores are counted too (they cost nothing), so that a command's behaviour can be seen without S3.
import { usageError } from '../platform/failures/errors.js';
import type { EventSink } from '../events/events.js';
import { rememberRefusals, StoreRefusals, withAbilities } from './abilities.js';
import { limitDownloads } from './bandwidth-limit.js';
import { type BucketLifecycle, retriedLifecycle } from './bucket-lifecycle.js';
import { type BucketLock, retriedLock } from './bucket-lock.js';
import { type MultipartTrial, retriedTrial } from './bucket-multipart.js';
import { type BucketPosture, retriedPosture } from './bucket-posture.js';
import { withoutLogin } from './endpoint-url.js';
import { fileStore } from './file/file-store.js';
import { type MeteredPlace, meterKeys, meterStore, type StoreMeter } from './meter.js';
import type { ObjectDeleter, ObjectStore, RequestCounts, WholeStore } from './object-store.js';
import { observeKeys, observeStore } from './observed-store.js';
import type { OnRequest } from '../events/observer.js';
import type { RateLimit } from '../platform/limits/timetable.js';
import { createPace, type Pace } from '../platform/limits/pace.js';
import { countRequests, newRequestCounts } from './request-count.js';
import { DEFAULT_RETRY, type RetryOptions } from './retry/retrier.js';
import { withRetry } from './retry/retry.js';
import { DEFAULT_WATCHDOG, withWatchdog, type WatchdogOptions } from './stall-watchdog.js';
import { knownAddress } from './providers/address.js';
import type { Provider } from './providers/provider.js';
import type { CreateOnceSetting } from './create-once-setting.js';
import { parseStoreUrl, type StoreUrl } from './store-url.js';
import { s3Bucket } from './s3/s3-bucket.js';
import type { HttpHandlerOptions, HttpTimeouts } from './s3/s3-http-handler.js';
import type { NetworkSources } from './s3/s3-network.js';
import type { EndpointSources } from './s3/s3-profile.js';
import type { KeyService } from './key-service.js';

export interface OpenStoreOptions
  extends EndpointSources, NetworkSources, Partial<Pick<HttpHandlerOptions, 'maxSockets' | 'http2' | 'idle'>> {
  /** Region that a flag, a variable or a config file names. */
  readonly region?: string | undefined;
  /** False when `region` is only the command's default. */
  readonly regionGiven?: boolean | undefined;
  /** Used when nothing names a region and the bucket does not reveal it. */
  readonly defaultRegion?: string | undefined;
  /** Address of KMS if it is known already; null for AWS itself. Otherwise it is found like the address of the store. */
  readonly kmsEndpointUrl?: string | null | undefined;
  readonly uploadLimit?: RateLimit | undefined;
  readonly downloadLimit?: RateLimit | undefined;
  /** Permission bits of files in a folder; giving them for S3, which has none, is an error. */
  readonly storeMode?: number | undefined;
  readonly onEvent?: EventSink | undefined;
  /** Makes the meter that is told what is used of the store. */
  readonly meter?: ((place: MeteredPlace) => StoreMeter) | undefined;
  /** Whether to ask the store if it keeps If-None-Match before versions are written there; `auto` by default. */
  readonly createOnce?: CreateOnceSetting | undefined;
  /** Told of each request when it begins and when it has ended. */
  readonly onRequest?: OnRequest | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Refusals that are known already; those that are met now are added. */
  readonly refusals?: StoreRefusals | undefined;
  readonly retry?: Partial<RetryOptions> | undefined;
  readonly watchdog?: Partial<WatchdogOptions> | undefined;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
}

/** Addresses without names and passwords; null for AWS itself. */
export interface StoreServers {
  readonly store: string | null;
  readonly kms: string | null;
}

export interface OpenedStore {
  readonly store: ObjectStore;
  /** The deleting half, for code that may delete there. */
  readonly deleter: ObjectDeleter;
  /** Counts requests while the store is used. */
  readonly requests: RequestCounts;
  /** Returns the number of requests that were repeated so far. */
  readonly retries: () => number;
  /** S3 stores only. */
  readonly region?: string;
  /** True for AWS itself, false for other servers. */
  readonly isAws: boolean;
  /** S3 stores only: how far this computer's clock is ahead of the store's, by its answers so far. */
  readonly clockAheadMs?: () => number;
  /** S3 stores only: the provider, if the address tells. */
  readonly runBy?: Provider | undefined;
  /** S3 stores only: the servers of the store and its keys, for saving where something is. */
  readonly servers?: StoreServers;
  /** S3 stores only. */
  readonly lifecycle?: BucketLifecycle;
  /** S3 stores only. */
  readonly posture?: BucketPosture;
  /** S3 stores only; keys are those of `store`. */
  readonly lock?: BucketLock;
  /** S3 stores only; keys are those of `store`. */
  readonly multipart?: MultipartTrial;
  /** S3 stores only: whether somebody vouches that it keeps If-None-Match; `auto`, to ask it, if not given. */
  readonly createOnce?: CreateOnceSetting;
  /** Closes idle connections; the store must not be used afterwards. */
  close(): void;
}

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_SOCKETS = 16;
const DEFAULT_TIMEOUTS = { connectMs: 10_000, idleMs: 60_000, answerMs: 120_000 };

type Bare = Omit<OpenedStore, 'store' | 'deleter' | 'requests' | 'retries'> & { readonly store: WholeStore };

async function openS3(
  url: Extract<StoreUrl, { kind: 's3' }>,
  options: OpenStoreOptions,
  paceUpload: Pace | undefined,
): Promise<Bare> {
  // The SDK takes a noticeable time to load; commands on local folders never do.
  const [{ connectS3 }, { s3Store }] = await Promise.all([import('./s3/s3-client.js'), import('./s3/s3-store.js')]);
  const kms = await kmsEndpointOf(options);
  const isGiven = options.regionGiven !== false;
  const connection = await connectS3({
    ...options,
    bucket: url.bucket,
    region: isGiven ? options.region : undefined,
    defaultRegion: options.defaultRegion ?? options.region ?? DEFAULT_REGION,
    maxSockets: options.maxSockets ?? DEFAULT_SOCKETS,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    paceUpload,
  });
  const { region, endpoint, clockAheadMs, close } = connection;
  const servers = { store: withoutLogin(endpoint) ?? null, kms: withoutLogin(kms) ?? null };
  const [store, ofBucket] = [s3Store(connection, url), s3Bucket(connection, url)];
  const { createOnce = 'auto' } = options;
  const isAws = endpoint === undefined;
  const runBy = isAws ? 'aws' : knownAddress(endpoint)?.provider;
  return { store, region, isAws, runBy, servers, createOnce, ...ofBucket, clockAheadMs, close };
}

function refuseMode(storeMode: number | undefined): void {
  if (storeMode !== undefined)
    throw usageError(
      'S3 has no file modes: --store-mode needs a file:// target',
      'who may read a bucket is said by its policies',
    );
}

async function openBare(url: string, options: OpenStoreOptions): Promise<Bare> {
  const { uploadLimit: limit } = options;
  const paceUpload = limit === undefined ? undefined : createPace(limit);
  const parsed = parseStoreUrl(url);
  if (parsed.kind === 's3') refuseMode(options.storeMode);
  if (parsed.kind === 's3') return await openS3(parsed, options, paceUpload);
  return {
    store: fileStore(parsed.folder, { paceUpload, storeMode: options.storeMode }),
    isAws: false,
    close: () => undefined,
  };
}

async function kmsEndpointOf({
  kmsEndpointUrl,
  endpointUrl,
  env,
  profile,
}: OpenStoreOptions): Promise<string | undefined> {
  if (kmsEndpointUrl !== undefined) return kmsEndpointUrl ?? undefined;
  const { kmsEndpoint } = await import('./s3/s3-profile.js');
  return await kmsEndpoint({ endpointUrl, env, profile });
}

function keysOf(options: OpenStoreOptions, region: string | undefined): ClosableKeys {
  const { env, profile, credentials, onEvent, retry, timeouts, defaultRegion } = options;
  const given = region ?? (options.regionGiven === false ? undefined : options.region);
  return lazyKeys(async () => {
    const { kmsKeys } = await import('./kms/kms-client.js');
    const endpoint = await kmsEndpointOf(options);
    const named = given || env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || defaultRegion || DEFAULT_REGION;
    const { networkOf } = await import('./s3/s3-network.js');
    const network = await networkOf(options);
    return kmsKeys({ network, region: named, profile, credentials, endpoint, env, timeouts, retry, onEvent });
  });
}

/** Splits a store into its halves: methods of the other half are not there at all, so nothing can call them by mistake. */
function halvesOf(whole: WholeStore): Pick<OpenedStore, 'store' | 'deleter'> {
  const { delete: remove, deleteVersions, abortMultipart, ...store } = whole;
  return { store, deleter: { delete: remove, deleteVersions, abortMultipart } };
}

/** Opens the store at a URL. Makes no request except to find a region. @throws usage for an invalid URL */
export async function openStore(url: string, options: OpenStoreOptions): Promise<OpenedStore> {
  const { downloadLimit: limit } = options;
  let retries = 0;
  const onEvent: EventSink = (event) => {
    if (event.type === 'retry') retries++;
    options.onEvent?.(event);
  };
  const requests = newRequestCounts();
  const { store: bare, close, lifecycle, posture, lock, multipart, ...about } = await openBare(url, options);
  const { isAws, region, runBy } = about;
  const meter = options.meter?.({ url: bare.url, isAws, runBy, isFolder: parseStoreUrl(url).kind === 'file', region });
  const metered = meter === undefined ? bare : meterStore(bare, meter);
  const { onRequest } = options;
  const observed = onRequest === undefined ? metered : observeStore(metered, onRequest);
  const retry = { ...DEFAULT_RETRY, onEvent, ...options.retry };
  const retried = withRetry(countRequests(observed, requests), retry);
  const watched = withWatchdog(retried, { ...DEFAULT_WATCHDOG, onEvent, ...options.watchdog });
  const keys = keysOf({ ...options, onEvent }, about.region);
  const limited = limit === undefined ? watched : limitDownloads(watched, createPace(limit));
  const meteredKeys = meter === undefined ? keys : meterKeys(keys, meter);
  const { refusals = new StoreRefusals() } = options;
  const half = halvesOf(limited);
  const store = {
    ...withAbilities(half.store, refusals),
    keys: onRequest === undefined ? meteredKeys : observeKeys(meteredKeys, onRequest),
  };
  const deleter = rememberRefusals(half.deleter, refusals);
  const closeBoth = (): void => {
    close();
    keys.close();
  };
  const ofBucket = {
    ...(lifecycle && { lifecycle: retriedLifecycle(lifecycle, retry, requests) }),
    ...(posture && { posture: retriedPosture(posture, retry, requests) }),
    ...(lock && { lock: retriedLock(lock, retry, requests, meter) }),
    ...(multipart && { multipart: retriedTrial(multipart, retry, requests, meter) }),
  };
  return { store, deleter, requests, retries: () => retries, ...about, ...ofBucket, close: closeBoth };
}

// A key service that is loaded when a key is first asked for: most commands never do, and the SDK takes a while to load.

type ClosableKeys = KeyService & { close(): void };

/** Calls `load` at the first use. */
function lazyKeys(load: () => Promise<ClosableKeys>): ClosableKeys {
  let loading: Promise<ClosableKeys> | undefined;
  const loaded = (): Promise<ClosableKeys> => (loading ??= load());
  return {
    generate: async (...call) => await (await loaded()).generate(...call),
    decrypt: async (...call) => await (await loaded()).decrypt(...call),
    close: () => {
      loading?.then(
        (keys) => keys.close(),
        () => undefined, // reported where a key was asked for
      );
    },
  };
}

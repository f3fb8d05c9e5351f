// Opening a store for a command, and closing it however the command ends. The store is imported on first use, so that
// declarations stay light.
import type { Cancellation, Environment, Origins } from '../../cli/context.js';
import type { EventSink } from '../../core/events.js';
import type { OpenedStore, OpenStoreOptions } from '../../core/object-store/open-store.js';

export type StoreContext = Cancellation & Environment & Origins;

/** What the flags of a store say. */
export interface StoreValues {
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly limitDownload?: number | undefined;
  readonly limitUpload?: number | undefined;
  /** Of commands that may write there. */
  readonly storeMode?: number | undefined;
}

/** What does not depend on what is done there. */
const accessOptions = (values: StoreValues, { env, origins, signal }: StoreContext): OpenStoreOptions => ({
  env,
  region: values.region,
  regionGiven: origins['region'] !== 'default',
  defaultRegion: values.region,
  profile: values.profile,
  endpointUrl: values.endpointUrl,
  limitDownloadBytesPerSecond: values.limitDownload,
  limitUploadBytesPerSecond: values.limitUpload,
  storeMode: values.storeMode,
  signal,
});

export interface StoreUse {
  readonly requestsAtOnce?: number;
  readonly onEvent?: EventSink;
}

/** Listings and the like go beside the requests of a command. */
const OTHER_SOCKETS = 2;

/** Opens the store of a base; the caller closes it. A store that is opened to be read can also be written to. */
export async function openForReading(
  baseUrl: string,
  values: StoreValues,
  context: StoreContext,
  { requestsAtOnce, onEvent }: StoreUse = {},
): Promise<OpenedStore> {
  const { openStore } = await import('../../core/object-store/open-store.js');
  return await openStore(baseUrl, {
    ...accessOptions(values, context),
    ...(requestsAtOnce === undefined ? {} : { maxSockets: requestsAtOnce + OTHER_SOCKETS }),
    onEvent,
  });
}

/** Opens the store when an upload begins, and tells its events. */
export type OpenForWriting = (onEvent: EventSink) => Promise<OpenedStore>;

/** The same for uploads, which open the store themselves and choose their connections. */
export function openForWriting(
  url: string,
  values: StoreValues & { readonly kmsEndpointUrl?: string | null | undefined },
  context: StoreContext,
  network: Pick<OpenStoreOptions, 'maxSockets' | 'idle' | 'http2' | 'timeouts'> = {},
): OpenForWriting {
  return async (onEvent) => {
    const { openStore } = await import('../../core/object-store/open-store.js');
    // An upload that goes on uses the KMS that it began with.
    const { kmsEndpointUrl } = values;
    return await openStore(url, { ...network, ...accessOptions(values, context), kmsEndpointUrl, onEvent });
  };
}

export interface StoreCall extends StoreUse {
  readonly baseUrl: string;
  readonly values: StoreValues;
  readonly context: StoreContext;
}

/** Opens the store of a base for `work`, and closes it when that has ended. @throws what both throw */
export async function withStore<T>(
  { baseUrl, values, context, ...use }: StoreCall,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const opened = await openForReading(baseUrl, values, context, use);
  try {
    return await work(opened);
  } finally {
    opened.close();
  }
}

// Opening a store for a command, and closing it however the command ends. The store is imported on first use, so that
// declarations stay light.
import type { Cancellation, Environment, Origins } from '../../cli/context.js';
import type { EventSink } from '../../core/events.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';

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
  { env, origins, signal }: StoreContext,
  { requestsAtOnce, onEvent }: StoreUse = {},
): Promise<OpenedStore> {
  const { openStore } = await import('../../core/object-store/open-store.js');
  return await openStore(baseUrl, {
    env,
    region: values.region,
    regionGiven: origins['region'] !== 'default',
    defaultRegion: values.region,
    profile: values.profile,
    endpointUrl: values.endpointUrl,
    limitDownloadBytesPerSecond: values.limitDownload,
    limitUploadBytesPerSecond: values.limitUpload,
    storeMode: values.storeMode,
    ...(requestsAtOnce === undefined ? {} : { maxSockets: requestsAtOnce + OTHER_SOCKETS }),
    onEvent,
    signal,
  });
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

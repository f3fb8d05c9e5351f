// Opening a store for a command, and closing it however the command ends. The store is imported on first use, so that
// declarations stay light.
import type {
  Accounted,
  Cancellation,
  Clock,
  Environment,
  Messages,
  Watching,
  Origins,
  Places,
  Pricing,
} from '../../cli/context.js';
import type { EventSink } from '../../core/events/events.js';
import type { CreateOnceSetting } from '../../core/store/create-once-setting.js';
import type { OpenedStore, OpenStoreOptions } from '../../core/store/open-store.js';
import type { SessionStore } from '../../core/store/store-session.js';
import { meterOf } from './account.js';

export type StoreContext = Cancellation &
  Environment &
  Origins &
  Accounted &
  Watching &
  Pricing &
  Clock &
  Pick<Places, 'cwd' | 'home'> &
  Pick<Messages, 'note' | 'warn'>;

/** What the flags of a store say. */
export interface StoreValues {
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
  readonly limitDownload?: number | undefined;
  readonly limitUpload?: number | undefined;
  /** Of commands that may write there. */
  readonly storeMode?: number | undefined;
  /** Of commands that make versions. */
  readonly createOnce?: CreateOnceSetting | undefined;
}

/** What does not depend on what is done there. */
const accessOptions = async (values: StoreValues, context: StoreContext): Promise<OpenStoreOptions> => ({
  env: context.env,
  region: values.region,
  regionGiven: context.origins['region'] !== 'default',
  defaultRegion: values.region,
  profile: values.profile,
  endpointUrl: values.endpointUrl,
  caBundle: values.caBundle,
  limitDownloadBytesPerSecond: values.limitDownload,
  limitUploadBytesPerSecond: values.limitUpload,
  storeMode: values.storeMode,
  createOnce: values.createOnce,
  meter: await meterOf(context),
  onRequest: context.observer?.onRequest,
  signal: context.signal,
});

export interface StoreUse {
  readonly requestsAtOnce?: number | undefined;
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
  const { openStore } = await import('../../core/store/open-store.js');
  return await openStore(baseUrl, {
    ...(await accessOptions(values, context)),
    ...(requestsAtOnce === undefined ? {} : { maxSockets: requestsAtOnce + OTHER_SOCKETS }),
    onEvent,
  });
}

/** The same for a session: the store outlives the operations in it, and each is told of what happens in its time. */
export async function openForSession(
  baseUrl: string,
  values: StoreValues,
  context: StoreContext,
  requestsAtOnce?: number,
): Promise<SessionStore> {
  const { openSession } = await import('../../core/store/store-session.js');
  return await openSession((onEvent) => openForReading(baseUrl, values, context, { requestsAtOnce, onEvent }));
}

/** Where nothing is found: refuses a folder that is not there, which was mistyped or is not mounted. @throws not-found */
export async function refuseMissingFolder(baseUrl: string): Promise<void> {
  const { lstatSync } = await import('node:fs');
  const { ArchiverError } = await import('../../core/platform/failures/errors.js');
  const { parseStoreUrl } = await import('../../core/store/store-url.js');
  const { printable } = await import('../../core/platform/paths/raw-path.js');
  const place = parseStoreUrl(baseUrl);
  if (place.kind !== 'file' || lstatSync(place.folder, { throwIfNoEntry: false }) !== undefined) return;
  throw new ArchiverError('not-found', `there is no folder ${printable(place.folder)}`, {
    hint: 'see how it is spelt, and whether its disk is mounted',
  });
}

/** Opens the store when an upload begins, and tells its events. */
export type OpenForWriting = (onEvent: EventSink) => Promise<OpenedStore>;

/** The same for uploads, which open the store themselves and choose their connections. */
export function openForWriting(
  url: string,
  values: StoreValues & { readonly kmsEndpointUrl?: string | null | undefined },
  context: StoreContext,
  network: Pick<OpenStoreOptions, 'maxSockets' | 'idle' | 'http2' | 'timeouts' | 'refusals'> = {},
): OpenForWriting {
  return async (onEvent) => {
    const { openStore } = await import('../../core/store/open-store.js');
    // An upload that goes on uses the KMS that it began with.
    const { kmsEndpointUrl } = values;
    return await openStore(url, { ...network, ...(await accessOptions(values, context)), kmsEndpointUrl, onEvent });
  };
}

export interface StoreCall extends StoreUse {
  readonly baseUrl: string;
  readonly values: StoreValues;
  readonly context: StoreContext;
  /** Open already, since the upload was looked for in it. */
  readonly session?: SessionStore | undefined;
}

/** For commands that show no progress: what is tried again, and why. */
export const retryNotes =
  ({ note }: Pick<Messages, 'note'>): EventSink =>
  (event) => {
    if (event.type !== 'retry') return;
    const { reason, attempt, maxAttempts, waitMs } = event;
    note(`${reason}; try ${attempt + 1} of ${maxAttempts} in ${(waitMs / 1000).toFixed(1)} s`);
  };

/** Opens the store of a base for `work`, unless it is open, and closes it when that has ended. @throws what both throw */
export async function withStore<T>(
  { baseUrl, values, context, requestsAtOnce, onEvent = retryNotes(context), ...call }: StoreCall,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const session = call.session ?? (await openForSession(baseUrl, values, context, requestsAtOnce));
  try {
    return await session.during(onEvent, () => work(session.opened));
  } finally {
    session.opened.close();
  }
}

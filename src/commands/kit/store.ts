// Opens a store for a command, and closes it however the command ends. The store is imported on first use, so that declarations stay light.
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
import type { RateLimit } from '../../core/platform/limits/timetable.js';
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

/** Values of the flags about a store. */
export interface StoreValues {
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly caBundle: string | undefined;
  readonly limitDownload?: RateLimit | undefined;
  readonly limitUpload?: RateLimit | undefined;
  /** Set by commands that may write there. */
  readonly storeMode?: number | undefined;
  /** Set by commands that make versions. */
  readonly createOnce?: CreateOnceSetting | undefined;
  /** False for a run that keeps nothing of manifests on this computer. */
  readonly manifestCache?: boolean | undefined;
}

/** The same; an address that is null is AWS itself, whatever is configured. */
export interface AddressedValues extends Omit<StoreValues, 'endpointUrl'> {
  readonly endpointUrl: string | null | undefined;
}

/** The options that every use of the store has. */
const accessOptions = async (values: AddressedValues, context: StoreContext): Promise<OpenStoreOptions> => ({
  env: context.env,
  region: values.region,
  regionGiven: context.origins['region'] !== 'default',
  defaultRegion: values.region,
  profile: values.profile,
  endpointUrl: values.endpointUrl,
  caBundle: values.caBundle,
  downloadLimit: values.limitDownload,
  uploadLimit: values.limitUpload,
  storeMode: values.storeMode,
  createOnce: values.createOnce,
  meter: await meterOf(context),
  onRequest: context.observer?.onRequest,
  signal: context.signal,
});

/** Has the names that are listed noted, for the completion of shells, which reads a folder of this computer itself. */
async function noted(
  opened: OpenedStore,
  { manifestCache }: Pick<StoreValues, 'manifestCache'>,
  { home }: StoreContext,
): Promise<OpenedStore> {
  if (opened.store.url.startsWith('file:') || manifestCache === false) return opened;
  const { notingNames } = await import('../../core/seen/note-names.js');
  const { cacheFolder } = await import('../../core/dataset/cache/cache-folder.js');
  return notingNames(opened, cacheFolder(home));
}

export interface StoreUse {
  readonly requestsAtOnce?: number | undefined;
  readonly onEvent?: EventSink;
}

/** Sockets for listings and the like, in addition to the requests of a command. */
const OTHER_SOCKETS = 2;

/** Opens the store of a base; the caller closes it. A store that is opened to be read can also be written to. */
export async function openForReading(
  baseUrl: string,
  values: AddressedValues,
  context: StoreContext,
  { requestsAtOnce, onEvent }: StoreUse = {},
): Promise<OpenedStore> {
  const { openStore } = await import('../../core/store/open-store.js');
  const opened = await openStore(baseUrl, {
    ...(await accessOptions(values, context)),
    ...(requestsAtOnce === undefined ? {} : { maxSockets: requestsAtOnce + OTHER_SOCKETS }),
    onEvent,
  });
  return await noted(opened, values, context);
}

/** Opens the store for a session: it outlives the operations in it, and each of them gets the events of its own time. */
export async function openForSession(
  baseUrl: string,
  values: StoreValues,
  context: StoreContext,
  requestsAtOnce?: number,
): Promise<SessionStore> {
  const { openSession } = await import('../../core/store/store-session.js');
  return await openSession((onEvent) => openForReading(baseUrl, values, context, { requestsAtOnce, onEvent }));
}

/** Refuses a missing folder where nothing was found: it was mistyped or is not mounted. @throws not-found */
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

/** Opens the store when an upload begins; `onEvent` gets its events. */
export type OpenForWriting = (onEvent: EventSink) => Promise<OpenedStore>;

/** Returns a function that opens the store for an upload, which chooses its own connections. */
export function openForWriting(
  url: string,
  values: AddressedValues & { readonly kmsEndpointUrl?: string | null | undefined },
  context: StoreContext,
  network: Pick<OpenStoreOptions, 'maxSockets' | 'idle' | 'http2' | 'timeouts' | 'refusals'> = {},
): OpenForWriting {
  return async (onEvent) => {
    const { openStore } = await import('../../core/store/open-store.js');
    // A resumed upload uses the KMS that it began with.
    const { kmsEndpointUrl } = values;
    // What limits reading is about the source, where that is a store.
    const access = { ...network, ...(await accessOptions({ ...values, limitDownload: undefined }, context)) };
    return await noted(await openStore(url, { ...access, kmsEndpointUrl, onEvent }), values, context);
  };
}

export interface StoreCall extends StoreUse {
  readonly baseUrl: string;
  readonly values: StoreValues;
  readonly context: StoreContext;
  /** Set when the store is open already, because the upload was looked for in it. */
  readonly session?: SessionStore | undefined;
}

/** Reports retries as notes, for commands that show no progress. */
export const retryNotes =
  ({ note }: Pick<Messages, 'note'>): EventSink =>
  (event) => {
    if (event.type !== 'retry') return;
    const { reason, attempt, maxAttempts, waitMs } = event;
    note(`${reason}; try ${attempt + 1} of ${maxAttempts} in ${(waitMs / 1000).toFixed(1)} s`);
  };

/** Opens the store of a base for `work`, unless it is open, and closes it afterwards. @throws what opening and `work` throw */
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

// Serves a store while something else goes on: the part that `serve` and `mount` share.
import type { Context } from '../../cli/context.js';
import type { ListenAddress } from '../../core/platform/http/listen-address.js';
import { serveStore } from '../../core/serve/serve-store.js';
import { createServeStore } from '../../stores/serve/serve-store.js';
import { recordRunFacts } from '../kit/account.js';
import { datasetBase } from '../kit/dataset-target.js';
import { openFrameCache } from '../kit/frame-cache.js';
import { openForSession, refuseMissingFolder, retryNotes } from '../kit/store.js';
import { coldText } from './cold-text.js';
import type { ReadingValues } from './flags.js';
import { servedGate } from './served-gate.js';
import { openServeDisplay } from './serve-display.js';

export interface Server {
  /** As typed. */
  readonly url: string;
  readonly values: ReadingValues;
  readonly address: ListenAddress;
  /** The flag that gave the address, for messages. */
  readonly flag: string;
  readonly isWebdav: boolean;
  readonly token: string | undefined;
}

export interface Serving {
  /** Ends in a slash. */
  readonly servedUrl: string;
  readonly location: string;
  /** Begins to show what is served, under this title. */
  readonly show: (title: string) => Promise<void>;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Requests to the store at a time: those of some clients, side by side. */
const REQUESTS_AT_ONCE = 16;

/** Serves while `work` goes on. @throws what opening, listening and `work` throw */
export async function whileServing<T>(
  { url, values, address, flag, isWebdav, token }: Server,
  context: Context,
  work: (serving: Serving) => Promise<T>,
): Promise<T> {
  const location = datasetBase(url, values.writerId);
  await refuseMissingFolder(location);
  const { opened, during } = await openForSession(location, values, context, REQUESTS_AT_ONCE);
  const store = createServeStore(() => performance.now());
  const display = openServeDisplay(store, context);
  try {
    recordRunFacts(context, { operation: 'download' });
    const cache = await openFrameCache(values, context);
    const [ending, ended] = [new AbortController(), context.signal];
    const server = await during(retryNotes(display), () =>
      serveStore({
        reader: opened.store,
        address,
        flag,
        isWebdav,
        token,
        cache,
        title: location,
        signal: AbortSignal.any([ending.signal, ended]),
        mayFetch: servedGate(values, opened, context),
        coldText: (file) => coldText(file, { opened, location, context }),
        now: () => performance.now(),
        onRequest: (request) => {
          store.getState().answered(request);
          display.debug(`${request.status} ${request.method} ${request.path}`);
        },
        onBytes: store.getState().sent,
        warn: display.warn,
      }),
    );
    const servedUrl = `http://${server.at}/`;
    try {
      return await during(retryNotes(display), () => work({ ...display, servedUrl, location }));
    } finally {
      ending.abort();
      await server.close();
      await cache.settled();
    }
  } finally {
    await display.stop();
    opened.close();
  }
}

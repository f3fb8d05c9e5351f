// What a server has answered, for its displays. Subscribers are notified at most ten times a second.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createRateEstimator } from '../rate-estimator.js';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface ServeSnapshot {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly bytes: number;
  readonly bytesPerSecond: number;
  /** The last requests, the newest last; equal ones in a row are one. */
  readonly recent: readonly (AnsweredRequest & { readonly times: number })[];
  /** What there was to say, in its order, but for the first `droppedNotes`: a server runs for months. */
  readonly notes: readonly string[];
  readonly droppedNotes: number;
}

export interface ServeState {
  readonly snapshot: ServeSnapshot;
  readonly answered: (request: AnsweredRequest) => void;
  readonly sent: (bytes: number) => void;
  readonly note: (text: string) => void;
  /** Publishes now: rates change even when nothing else happens. */
  readonly refresh: () => void;
  readonly close: () => void;
}

export type ServeStore = StoreApi<ServeState>;

const PUBLISH_EVERY_MS = 100;
const RATE_MS = 5_000;
const SHOWN = 5;
/** Half of them are dropped at once, so that whoever shows notes seldom has to begin a new list. */
const MOST_NOTES = 2000;

/** A store for one server; `now` gives milliseconds since some fixed moment. */
export function createServeStore(now: () => number): ServeStore {
  const rates = { requests: createRateEstimator(RATE_MS), bytes: createRateEstimator(RATE_MS) };
  const sums = { requests: 0, bytes: 0 };
  let recent: ServeSnapshot['recent'] = [];
  let notes: readonly string[] = [];
  let droppedNotes = 0;
  let timer: NodeJS.Timeout | undefined;
  for (const rate of Object.values(rates)) rate.add(0, now());
  const snapshot = (): ServeSnapshot => ({
    ...sums,
    requestsPerSecond: rates.requests.perSecond(now()),
    bytesPerSecond: rates.bytes.perSecond(now()),
    recent,
    notes,
    droppedNotes,
  });
  const isSame = (a: AnsweredRequest, b: AnsweredRequest): boolean =>
    a.method === b.method && a.path === b.path && a.status === b.status;

  return createStore<ServeState>()((set) => {
    const publish = (): void => {
      clearTimeout(timer);
      timer = undefined;
      set({ snapshot: snapshot() });
    };
    const publishSoon = (): void => void (timer ??= setTimeout(publish, PUBLISH_EVERY_MS).unref());
    return {
      snapshot: snapshot(),
      answered({ method, path, status }) {
        rates.requests.add(++sums.requests, now());
        const last = recent.at(-1);
        const isAgain = last !== undefined && isSame(last, { method, path, status });
        const times = isAgain ? last.times + 1 : 1;
        recent = [...(isAgain ? recent.slice(0, -1) : recent), { method, path, status, times }].slice(-SHOWN);
        publishSoon();
      },
      sent(bytes) {
        sums.bytes += bytes;
        rates.bytes.add(sums.bytes, now());
        publishSoon();
      },
      note(text) {
        const kept = notes.length < MOST_NOTES ? notes : notes.slice(MOST_NOTES / 2);
        droppedNotes += notes.length - kept.length;
        notes = [...kept, text];
        publishSoon();
      },
      refresh: publish,
      close: publish,
    };
  });
}

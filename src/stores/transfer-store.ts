// What a long operation is doing now. Events arrive as they happen; subscribers hear at most ten times a second.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TransferEvent } from '../core/events/events.js';
import { snapshotOf, type TransferSnapshot } from './transfer-snapshot.js';
import { createTransferState, foldEvent } from './transfer-state.js';

export interface TransferStoreState {
  readonly snapshot: TransferSnapshot;
  /** Takes one event; the snapshot follows within a tenth of a second. */
  readonly apply: (event: TransferEvent) => void;
  /** The user asked to stop. */
  readonly requestStop: () => void;
  /** Publishes now: the clock moves rates and times even when nothing else happens. */
  readonly refresh: () => void;
  /** Publishes what is left and stops publishing. */
  readonly close: () => void;
}

export type TransferStore = StoreApi<TransferStoreState>;

export interface TransferStoreOptions {
  /** Milliseconds since some fixed moment. */
  readonly now: () => number;
}

const PUBLISH_EVERY_MS = 100;

/** A store for one operation. */
export function createTransferStore({ now }: TransferStoreOptions): TransferStore {
  const books = createTransferState(now());
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  return createStore<TransferStoreState>()((set) => {
    const publish = (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (!isClosed) set({ snapshot: snapshotOf(books, now()) });
    };
    const publishSoon = (): void => {
      if (timer !== undefined || isClosed) return;
      timer = setTimeout(publish, PUBLISH_EVERY_MS);
      // A display never keeps the process alive.
      timer.unref();
    };
    return {
      snapshot: snapshotOf(books, now()),
      apply(event) {
        foldEvent(books, event, now());
        publishSoon();
      },
      requestStop() {
        books.isStopping = true;
        publish();
      },
      refresh: publish,
      close() {
        publish();
        isClosed = true;
      },
    };
  });
}

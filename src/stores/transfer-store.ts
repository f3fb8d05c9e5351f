// State of a long operation. Events are applied as they happen; subscribers are notified at most ten times a second.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { TransferEvent } from '../core/events/events.js';
import { snapshotOf, type TransferSnapshot } from './transfer-snapshot.js';
import { createTransferState, applyEvent } from './transfer-state.js';

export interface TransferStoreState {
  readonly snapshot: TransferSnapshot;
  /** Applies one event; the snapshot follows within a tenth of a second. */
  readonly apply: (event: TransferEvent) => void;
  /** Called when the user asks to stop. */
  readonly requestStop: () => void;
  /** Publishes now: rates and times change even when nothing else happens. */
  readonly refresh: () => void;
  /** Publishes the last changes and stops publishing. */
  readonly close: () => void;
}

export type TransferStore = StoreApi<TransferStoreState>;

export interface TransferStoreOptions {
  /** Current time in milliseconds since some fixed moment. */
  readonly now: () => number;
}

const PUBLISH_EVERY_MS = 100;

/** A store for one operation. */
export function createTransferStore({ now }: TransferStoreOptions): TransferStore {
  const counters = createTransferState(now());
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  return createStore<TransferStoreState>()((set) => {
    const publish = (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (!isClosed) set({ snapshot: snapshotOf(counters, now()) });
    };
    const publishSoon = (): void => {
      if (timer !== undefined || isClosed) return;
      timer = setTimeout(publish, PUBLISH_EVERY_MS);
      // A display never keeps the process alive.
      timer.unref();
    };
    return {
      snapshot: snapshotOf(counters, now()),
      apply(event) {
        applyEvent(counters, event, now());
        publishSoon();
      },
      requestStop() {
        counters.isStopping = true;
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

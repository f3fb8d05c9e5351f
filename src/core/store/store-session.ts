// A store that outlives its operations: each gets the events that happen while it runs.
import type { EventSink } from '../events/events.js';
import type { OpenedStore } from './open-store.js';

/** Passes the events of a store to `emit` while `work` runs. */
export type During = <T>(emit: EventSink, work: () => Promise<T>) => Promise<T>;

export interface SessionStore {
  readonly opened: OpenedStore;
  readonly during: During;
}

/** Opens a session with the store that `open` returns. @throws what that throws */
export async function openSession(open: (onEvent: EventSink) => Promise<OpenedStore>): Promise<SessionStore> {
  const sinks = new Set<EventSink>();
  const opened = await open((event) => sinks.forEach((emit) => emit(event)));
  return {
    opened,
    async during(emit, work) {
      sinks.add(emit);
      try {
        return await work();
      } finally {
        sinks.delete(emit);
      }
    },
  };
}

// A store that outlives the operations in it: each is told of what happens in its time.
import type { EventSink } from '../events/events.js';
import type { OpenedStore } from './open-store.js';

/** Hands the events of a store to `emit` for as long as `work` goes on. */
export type During = <T>(emit: EventSink, work: () => Promise<T>) => Promise<T>;

export interface SessionStore {
  readonly opened: OpenedStore;
  readonly during: During;
}

/** Opens a session with what `open` gives. @throws what that throws */
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

// Dispatches events to handlers by type.
import type { EventSink, TransferEvent } from '../../events/events.js';

export type Event<T extends TransferEvent['type']> = Extract<TransferEvent, { type: T }>;

type Handlers = { readonly [T in TransferEvent['type']]?: (event: Event<T>) => void };

/** Makes a sink that handles some types of events and ignores the others. */
export const byType =
  (handlers: Handlers): EventSink =>
  <T extends TransferEvent['type']>(event: Event<T>) => {
    const take: Handlers[T] = handlers[event.type];
    take?.(event);
  };

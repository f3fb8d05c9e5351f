// Events handed to what wants each type of them.
import type { EventSink, TransferEvent } from '../../events/events.js';

export type Event<T extends TransferEvent['type']> = Extract<TransferEvent, { type: T }>;

type Takers = { readonly [T in TransferEvent['type']]?: (event: Event<T>) => void };

/** A sink for some types of events; the others are passed over. */
export const byType =
  (takers: Takers): EventSink =>
  <T extends TransferEvent['type']>(event: Event<T>) => {
    const take: Takers[T] = takers[event.type];
    take?.(event);
  };

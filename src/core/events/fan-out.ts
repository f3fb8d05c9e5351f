// Passes one stream of events to several consumers. A failing consumer must not affect the operation: one that throws gets no more events,
// a note tells the others, and the runner of the operation is notified.
import { errorText } from '../platform/failures/errors.js';
import type { EventSink, TransferEvent } from './events.js';
import type { OnRequest } from './observer.js';

export interface EventConsumer {
  /** Its name in messages: `progress display`. */
  readonly name: string;
  readonly take: EventSink;
}

/**
 * Returns a sink that passes each event to every consumer, in order. It never throws; a consumer that does is left out from then on and
 * reported to `onFailure`, once.
 */
export function fanOut(
  consumers: readonly EventConsumer[],
  onFailure: (text: string, error: unknown) => void,
): EventSink {
  const left = new Set(consumers);
  const emit: EventSink = (event: TransferEvent) => {
    for (const consumer of left) {
      try {
        consumer.take(event);
      } catch (error) {
        left.delete(consumer);
        const text = `the ${consumer.name} failed and was left out: ${errorText(error)}`;
        onFailure(text, error);
        // Each note goes to one consumer fewer, so this ends.
        emit({ type: 'note', text });
      }
    }
  };
  return emit;
}

/** Returns an observer of requests that tells all of these. */
export const tellAll =
  (observers: readonly OnRequest[]): OnRequest =>
  (begun) => {
    const ends = observers.map((onRequest) => onRequest(begun));
    return (ended) => ends.forEach((end) => end(ended));
  };

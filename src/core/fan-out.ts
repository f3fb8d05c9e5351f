// One stream of events, several consumers. What a consumer does with an event must not decide about the operation: one
// that throws gets no more events, the others are told of it by a note, and whoever runs the operation hears of it.
import { errorText } from './failures/errors.js';
import type { EventSink, TransferEvent } from './events.js';

export interface EventConsumer {
  /** What a person is told when it fails: `progress display`. */
  readonly name: string;
  readonly take: EventSink;
}

/**
 * A sink that hands each event to every consumer, in their order. It never throws; a consumer that does is left out from
 * then on and given to `onFailure`, once.
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
        // Each note has one consumer fewer to go to, so this ends.
        emit({ type: 'note', text });
      }
    }
  };
  return emit;
}

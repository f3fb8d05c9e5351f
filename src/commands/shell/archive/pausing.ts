import { setImmediate } from 'node:timers/promises';
import { throwIfCancelled } from '../../../core/store/store-error.js';

/** Number of entries between pauses, in which Ctrl+C is noticed. */
const SLICE = 20_000;

/** Yields what it is given, with pauses. @throws the reason of a cancellation */
export async function* pausing<T>(all: Iterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  let count = 0;
  for (const one of all) {
    if (++count % SLICE === 0) {
      await setImmediate();
      throwIfCancelled(signal);
    }
    yield one;
  }
}

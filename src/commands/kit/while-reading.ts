// Reading much of a store (a manifest of hundreds of MB, thousands of heartbeats) where people wait for it.
import { fstatSync } from 'node:fs';
import type { Messages, Terminal } from '../../cli/context.js';
import type { Aside, ProgressContext } from '../../cli/progress.js';
import type { EventSink, Operation } from '../../core/events/events.js';
import { fanOut } from '../../core/events/fan-out.js';
import { retryNotes } from './store.js';

/** What is there sooner needs no display. */
const SHOW_AFTER_MS = 1000;

export type ReadingContext = ProgressContext & Pick<Messages, 'note'> & Pick<Terminal, 'stdout'>;

/**
 * Shows on a terminal how far the reading of `source` is, where it takes a while. What is printed meanwhile goes through
 * `aside`: the display makes room. @throws what `read` throws
 */
export async function whileReading<T>(
  context: ReadingContext,
  source: string,
  read: (emit: EventSink, aside: Aside) => Promise<T>,
  operation: Operation = 'load',
): Promise<T> {
  const { runWithProgress } = await import('../../cli/progress.js');
  const isSeen = context.stderr.isTTY === true;
  // Off a terminal a script waits for its own output alone, and its log says what is tried again.
  const progressFormat = isSeen ? undefined : 'none';
  return await runWithProgress(context, { progressFormat, showAfterMs: SHOW_AFTER_MS }, (shown, aside) => {
    const emit = isSeen
      ? shown
      : fanOut(
          [
            { name: 'log', take: shown },
            { name: 'notes', take: retryNotes(context) },
          ],
          context.warn,
        );
    emit({ type: 'start', operation, source, target: '' });
    return read(emit, isFile(context.stdout) ? (work) => work() : aside);
  });
}

/** Nobody sees what goes into a file; a pipe may end in a pager, which has the terminal. */
function isFile(stream: object): boolean {
  const fd: unknown = Reflect.get(stream, 'fd');
  return typeof fd === 'number' && fstatSync(fd).isFile();
}

// Shows progress while a command reads much of a store: a manifest of hundreds of MB, or thousands of heartbeats.
import { fstatSync } from 'node:fs';
import type { Messages, Terminal } from '../../cli/context.js';
import type { Aside, ProgressContext } from '../../cli/progress.js';
import type { EventSink, Operation } from '../../core/events/events.js';
import { fanOut } from '../../core/events/fan-out.js';
import { retryNotes } from './store.js';

/** Delay (in ms) before the display appears: a faster read needs none. */
const SHOW_AFTER_MS = 1000;

export type ReadingContext = ProgressContext & Pick<Messages, 'note'> & Pick<Terminal, 'stdout'>;

/**
 * Shows on a terminal how far the reading of `source` is, where it takes a while. Output in the meantime must go through `aside`, so that
 * the display makes room. @throws what `read` throws
 */
export async function whileReading<T>(
  context: ReadingContext,
  source: string,
  read: (emit: EventSink, aside: Aside) => Promise<T>,
  operation: Operation = 'load',
): Promise<T> {
  const { runWithProgress } = await import('../../cli/progress.js');
  const isSeen = context.stderr.isTTY === true;
  // Off a terminal a script expects only its own output, and its log says what is tried again.
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

/** True if the output goes to a file, where nobody watches; a pipe may end in a pager, which has the terminal. */
function isFile(stream: object): boolean {
  const fd: unknown = Reflect.get(stream, 'fd');
  return typeof fd === 'number' && fstatSync(fd).isFile();
}

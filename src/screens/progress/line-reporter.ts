// Reporters that write lines over time: `LineSource` provides the lines, and this file decides when they are written.
import type { Writable } from 'node:stream';
import type { Outcome } from '../../core/events/events.js';
import type { Reporter, ReporterOptions } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { TransferStoreState } from '../../stores/transfer-store.js';

export interface LineReporterOptions extends ReporterOptions {
  readonly stream: Writable;
}

/** The texts of a reporter, as lines without their ends. */
export interface LineSource {
  /** Milliseconds from one status to the next. */
  readonly everyMs: number;
  readonly status: (snapshot: TransferSnapshot, at: Date) => string;
  /** Lines about what happened between two snapshots. */
  readonly news: (before: TransferSnapshot, after: TransferSnapshot, at: Date) => readonly string[];
  readonly last: (snapshot: TransferSnapshot, at: Date, outcome: Outcome) => readonly string[];
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Writes news as they happen, a status at intervals, and the last lines when it is stopped. */
export function startLineReporter({ store, stream, now }: LineReporterOptions, source: LineSource): Reporter {
  // From the start: what happened before this module was loaded is news as well.
  let seen: TransferSnapshot = store.getInitialState().snapshot;
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) stream.write(linesOf(lines));
  };
  const writeNews = ({ snapshot }: TransferStoreState): void => {
    write(source.news(seen, snapshot, now()));
    seen = snapshot;
  };
  writeNews(store.getState());
  const unsubscribe = store.subscribe(writeNews);
  const timer = setInterval(() => {
    store.getState().refresh();
    const { snapshot } = store.getState();
    // During a wait of hours, only news are written.
    if (snapshot.thaw === undefined) write([source.status(snapshot, now())]);
  }, source.everyMs);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      store.getState().refresh();
      unsubscribe();
      const { snapshot } = store.getState();
      const { outcome } = snapshot;
      if (outcome !== undefined) await writeAll(stream, linesOf(source.last(snapshot, now(), outcome)));
    },
  };
}

/** Waits until the text has left the process; a reader that went away is not an error for a display. */
async function writeAll(stream: Writable, text: string): Promise<void> {
  if (text === '' || stream.destroyed || stream.writableEnded) return;
  await new Promise<void>((resolve) => {
    stream.write(text, () => resolve());
  });
}

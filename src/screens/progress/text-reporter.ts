import type { Writable } from 'node:stream';
import type { Reporter, ReporterOptions } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { TransferStoreState } from '../../stores/transfer-store.js';
import type { Look } from '../../ui/look.js';
import { interruptedLines } from './interrupted-lines.js';
import {
  endLine,
  noteLine,
  planLine,
  retryLines,
  skipLine,
  moreSkippedLine,
  startLine,
  statusLine,
  thawLine,
} from './text-lines.js';
import { writeAll } from './write-all.js';

const EVERY_MS = 10_000;
/** Later ones are in the lines of every ten seconds: a network that is out for long may not fill a log. */
const TOLD_RETRIES = 10;

export interface TextReporterOptions extends ReporterOptions {
  readonly stream: Writable;
  readonly look: Look;
}

/** Writes a line at the start, one every ten seconds, one for each note and skipped file, and one at the end. */
export function startTextReporter({ store, stream, look, now }: TextReporterOptions): Reporter {
  // From the very beginning: what came before this was loaded is news as well.
  let seen: TransferSnapshot = store.getInitialState().snapshot;
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
  };
  const tell = ({ snapshot }: TransferStoreState): void => {
    write(newsBetween(seen, snapshot, now(), look));
    seen = snapshot;
  };
  tell(store.getState());
  const unsubscribe = store.subscribe(tell);
  const timer = setInterval(() => {
    store.getState().refresh();
    const { snapshot } = store.getState();
    // A wait of hours says something when there is something new.
    if (snapshot.thaw === undefined) write([statusLine(snapshot, now())]);
  }, EVERY_MS);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      store.getState().refresh();
      unsubscribe();
      const { snapshot } = store.getState();
      const { outcome } = snapshot;
      if (outcome === undefined || snapshot.operation === undefined) return;
      const rest = outcome.status === 'interrupted' ? interruptedLines(snapshot, { ...look, color: false }) : [];
      const last = [endLine(snapshot, now(), outcome), ...rest];
      await writeAll(stream, last.map((line) => `${line}\n`).join(''));
    },
  };
}

/** The lines that one snapshot calls for after another. */
function newsBetween(before: TransferSnapshot, after: TransferSnapshot, at: Date, look: Look): string[] {
  const lines: string[] = [];
  if (before.operation === undefined && after.operation !== undefined) lines.push(startLine(after, at, look));
  if (after.plans > before.plans) lines.push(planLine(after, at));
  if (after.thaw !== undefined && after.thaw.nextLookAtMs !== before.thaw?.nextLookAtMs)
    lines.push(thawLine(after, at));
  for (const note of after.notes.slice(before.notes.length)) lines.push(noteLine(after, at, note, look));
  for (const file of after.skipped.slice(before.skipped.length)) lines.push(skipLine(after, at, file, look));
  if (after.skippedCount > after.skipped.length && before.skippedCount <= before.skipped.length)
    lines.push(moreSkippedLine(after, at));
  if (after.retries > before.retries && after.retries <= TOLD_RETRIES) lines.push(...retryLines(after, at));
  if (after.isStopping && !before.isStopping) lines.push(statusLine(after, at));
  return lines;
}

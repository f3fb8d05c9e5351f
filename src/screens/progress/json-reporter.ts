import type { Writable } from 'node:stream';
import type { Reporter, ReporterOptions } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { TransferStoreState } from '../../stores/transfer-store.js';
import { failureObject, skipObject, statusObject, summaryObject } from './json-lines.js';
import { writeAll } from './write-all.js';

const EVERY_MS = 1000;

export interface JsonReporterOptions extends ReporterOptions {
  readonly stream: Writable;
}

/** Writes a status object every second, one for each note, an error object for each trouble, and a summary at the end. */
export function startJsonReporter({ store, stream, now }: JsonReporterOptions): Reporter {
  // From the very beginning: what came before this was loaded is news as well.
  let seen: TransferSnapshot = store.getInitialState().snapshot;
  const lines = (objects: readonly unknown[]): string =>
    objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const write = (objects: readonly unknown[]): void => {
    if (objects.length > 0) stream.write(lines(objects));
  };
  const tell = ({ snapshot }: TransferStoreState): void => {
    write(newsBetween(seen, snapshot, now()));
    seen = snapshot;
  };
  tell(store.getState());
  const unsubscribe = store.subscribe(tell);
  const timer = setInterval(() => {
    store.getState().refresh();
    const { snapshot } = store.getState();
    // A wait of hours says something when there is something new.
    if (snapshot.thaw === undefined) write([statusObject(snapshot, now())]);
  }, EVERY_MS);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      store.getState().refresh();
      unsubscribe();
      const { snapshot } = store.getState();
      const { outcome } = snapshot;
      if (outcome === undefined) return;
      const failure = outcome.status === 'failed' ? [failureObject(snapshot, now(), outcome)] : [];
      await writeAll(stream, lines([...failure, summaryObject(snapshot, now(), outcome)]));
    },
  };
}

function newsBetween(before: TransferSnapshot, after: TransferSnapshot, at: Date): unknown[] {
  const hasNewPhase = before.operation === undefined || before.phase !== after.phase;
  const hasLooked = after.thaw !== undefined && after.thaw.nextLookAtMs !== before.thaw?.nextLookAtMs;
  const isNews = after.operation !== undefined && (hasNewPhase || hasLooked || after.isStopping !== before.isStopping);
  return [
    ...(isNews ? [statusObject(after, at)] : []),
    ...after.notes.slice(before.notes.length).map((note) => statusObject(after, at, note)),
    ...after.skipped.slice(before.skipped.length).map((file) => skipObject(after, at, file)),
  ];
}

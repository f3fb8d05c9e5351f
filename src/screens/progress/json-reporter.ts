import type { Writable } from 'node:stream';
import type { Outcome, Reporter, ReporterOptions } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { failureObject, skipObject, statusObject, summaryObject } from './json-lines.js';
import { writeAll } from './write-all.js';

const EVERY_MS = 1000;

export interface JsonReporterOptions extends ReporterOptions {
  readonly stream: Writable;
}

/** Writes a status object every second, one for each note, an error object for each trouble, and a summary at the end. */
export function startJsonReporter({ store, stream, now }: JsonReporterOptions): Reporter {
  let seen: TransferSnapshot = store.getState().snapshot;
  const lines = (objects: readonly unknown[]): string =>
    objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const write = (objects: readonly unknown[]): void => {
    if (objects.length > 0) stream.write(lines(objects));
  };
  const unsubscribe = store.subscribe(({ snapshot }) => {
    write(newsBetween(seen, snapshot, now()));
    seen = snapshot;
  });
  const timer = setInterval(() => {
    store.getState().refresh();
    const { snapshot } = store.getState();
    // A wait of hours says something when there is something new.
    if (snapshot.thaw === undefined) write([statusObject(snapshot, now())]);
  }, EVERY_MS);
  timer.unref();

  return {
    async stop(outcome: Outcome) {
      clearInterval(timer);
      store.getState().refresh();
      unsubscribe();
      const { snapshot } = store.getState();
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

import { escapeForTerminal } from '../../core/platform/json/document.js';
import type { Reporter } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { failureObject, skipObject, statusObject, summaryObject } from './json-lines.js';
import { type LineReporterOptions, startLineReporter } from './line-reporter.js';

const lineOf = (object: object): string => escapeForTerminal(JSON.stringify(object));

/** Writes a status object every second, one for each note, an error object for each problem, and a summary at the end. */
export const startJsonReporter = (options: LineReporterOptions): Reporter =>
  startLineReporter(options, {
    everyMs: 1000,
    status: (snapshot, at) => lineOf(statusObject(snapshot, at)),
    news: (before, after, at) => newsBetween(before, after, at).map(lineOf),
    last(snapshot, at, outcome) {
      const failure = outcome.status === 'failed' ? [failureObject(snapshot, at, outcome)] : [];
      return [...failure, summaryObject(snapshot, at, outcome)].map(lineOf);
    },
  });

function newsBetween(before: TransferSnapshot, after: TransferSnapshot, at: Date): object[] {
  const hasNewPhase = before.operation === undefined || before.phase !== after.phase;
  const hasLooked = after.thaw !== undefined && after.thaw.nextLookAtMs !== before.thaw?.nextLookAtMs;
  const hasStatus =
    after.operation !== undefined && (hasNewPhase || hasLooked || after.isStopping !== before.isStopping);
  return [
    ...(hasStatus ? [statusObject(after, at)] : []),
    ...after.notes.slice(before.notes.length).map((note) => statusObject(after, at, note)),
    ...after.skipped.slice(before.skipped.length).map((file) => skipObject(after, at, file)),
  ];
}

import type { Reporter } from '../../stores/reporter.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { Look } from '../../ui/look.js';
import { interruptedLines } from './interrupted-lines.js';
import { type LineReporterOptions, startLineReporter } from './line-reporter.js';
import {
  costLine,
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

/** Later retries only appear in the status lines every ten seconds: a long network outage must not fill a log. */
const MAX_RETRY_LINES = 10;

/** Writes a line at the start, one every ten seconds, one for each note and skipped file, and one at the end. */
export const startTextReporter = ({ look, ...options }: LineReporterOptions & { readonly look: Look }): Reporter =>
  startLineReporter(options, {
    everyMs: 10_000,
    status: statusLine,
    news: (before, after, at) => newsBetween(before, after, at, look),
    last(snapshot, at, outcome) {
      if (snapshot.operation === undefined) return [];
      const rest = outcome.status === 'interrupted' ? interruptedLines(snapshot, { ...look, color: false }) : [];
      return [endLine(snapshot, at, outcome), ...rest];
    },
  });

/** Lines about what happened between two snapshots. */
function newsBetween(before: TransferSnapshot, after: TransferSnapshot, at: Date, look: Look): string[] {
  const lines: string[] = [];
  if (before.operation === undefined && after.operation !== undefined) lines.push(startLine(after, at, look));
  if (after.plans > before.plans) lines.push(planLine(after, at));
  if (after.cost !== undefined && before.cost === undefined) lines.push(costLine(after, at));
  if (after.thaw !== undefined && after.thaw.nextLookAtMs !== before.thaw?.nextLookAtMs)
    lines.push(thawLine(after, at));
  for (const note of after.notes.slice(before.notes.length)) lines.push(noteLine(after, at, note, look));
  lines.push(...skipNews(before, after, at, look));
  if (after.retries > before.retries && after.retries <= MAX_RETRY_LINES) lines.push(...retryLines(after, at));
  if (after.isStopping && !before.isStopping) lines.push(statusLine(after, at));
  return lines;
}

function skipNews(before: TransferSnapshot, after: TransferSnapshot, at: Date, look: Look): string[] {
  const hasMore = after.skippedCount > after.skipped.length && before.skippedCount <= before.skipped.length;
  const named = after.skipped.slice(before.skipped.length).map((file) => skipLine(after, at, file, look));
  return hasMore ? [...named, moreSkippedLine(after, at)] : named;
}

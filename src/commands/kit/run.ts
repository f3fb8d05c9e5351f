// Helpers around the work of most runs: time taken, progress, results, and warnings that do not flood the terminal.
import type { Clock, Messages, Origins, ResultsOf } from '../../cli/context.js';
import type { Aside, ProgressContext, ProgressFormat, Show } from '../../cli/progress.js';
import type { EventSink } from '../../core/events/events.js';
import type { Exact } from '../../json/documents.js';
import { printable } from '../../core/platform/paths/raw-path.js';

const SHOWN_WARNINGS = 10;

/** Starts a stopwatch; the returned function gives the milliseconds since then. */
export function stopwatch({ now }: Clock): () => number {
  const startedAt = now().getTime();
  return () => now().getTime() - startedAt;
}

/**
 * Runs `work` and shows its progress as --progress-format says. @throws what `work` throws; usage for a format that is not possible here
 */
export async function withProgress<T>(
  context: ProgressContext,
  { progressFormat }: ProgressValues,
  work: (emit: EventSink, aside: Aside) => Promise<T>,
): Promise<T> {
  const { runWithProgress } = await import('../../cli/progress.js');
  return await runWithProgress(context, { progressFormat }, work);
}

export interface ProgressValues {
  /** Undefined for commands without the flag: the terminal and --quiet decide. */
  readonly progressFormat?: ProgressFormat | undefined;
}

/** The work of a command, and how its result is shown. */
export interface Operating<T, D extends object> {
  readonly work: (emit: EventSink, aside: Aside) => Promise<T>;
  readonly show: Show<T, D>;
}

/** Runs `work` like `withProgress` and prints its result, which every listener of the events also gets, with the last event. */
export async function withResult<F extends object, T, D extends F>(
  context: ProgressContext & ResultsOf<F>,
  { progressFormat }: ProgressValues,
  { work, show }: Operating<T, Exact<D, F>>,
): Promise<T> {
  const { runToResult } = await import('../../cli/progress.js');
  return await runToResult<F, T, D>(context, { progressFormat, show }, work);
}

/** Prints the first ten warnings, and how many more there are. */
export function warnOf(warnings: readonly string[], context: Pick<Messages, 'warn'>): void {
  for (const warning of warnings.slice(0, SHOWN_WARNINGS)) context.warn(printable(warning));
  if (warnings.length > SHOWN_WARNINGS) context.warn(`and ${warnings.length - SHOWN_WARNINGS} more warnings`);
}

/** True if a flag, a variable or the config file set the value. */
export const isGiven = ({ origins }: Origins, key: string): boolean => (origins[key] ?? 'default') !== 'default';

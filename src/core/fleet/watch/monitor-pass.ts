// One pass of a monitor: look at the fleet, judge it, write metrics, evaluate budgets, raise alerts. An unreachable store does not fail a
// pass: it is reported, and an alert is raised once the fleet has been out of sight for longer than the threshold.
import type { Alert } from '../../notify/alerts/alert.js';
import type { Raised } from '../../notify/alerts/raise-alerts.js';
import type { BudgetBook } from '../../money/budget/budget.js';
import { budgetAlerts } from '../../money/budget/budget-alerts.js';
import { usesIn } from '../../money/budget/verdict.js';
import { reasonText } from '../../platform/failures/errno.js';
import { type ArchiverError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import type { MetricsBook } from '../../events/observer.js';
import { fleetAlerts, seenAgain, unseenAlert } from './fleet-alerts.js';
import { memoryPath, NO_MEMORY, readMemory, saveMemory } from './memory.js';
import { metricsText, writeMetrics } from './textfile.js';
import type { FleetStatus } from './watch-fleet.js';

export interface MonitorPass {
  /** When the pass began. */
  readonly time: Date;
  /** Undefined when the fleet could not be seen; `failure` says why. */
  readonly fleet: FleetStatus | undefined;
  readonly failure: ArchiverError | undefined;
  /** Since when it cannot be seen; null when it can. */
  readonly unseenSince: Date | null;
  /** For how long it had been out of sight when this pass saw it again; null when it had not. */
  readonly seenAfterMs: number | null;
  readonly problems: readonly string[];
}

export interface PassOutcome {
  /** Alerts that were sent. */
  readonly alerts: readonly Alert[];
  /** Number of due alerts that were not delivered: no channel is on, or none accepted them. */
  readonly unsentCount: number;
  /** Problems other than that of seeing the fleet, as sentences. */
  readonly problems: readonly string[];
}

export interface PassOptions {
  /** URL of the fleet's base, as its store writes it. */
  readonly location: string;
  readonly thresholdMs: number;
  /** The folder of local state. */
  readonly home: string;
  readonly textfile: string | undefined;
  /** Receives metrics that are served. */
  readonly metrics?: MetricsBook | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly watch: () => Promise<FleetStatus>;
  readonly readBook: () => Promise<BudgetBook>;
  readonly raise: (alerts: readonly Alert[]) => Promise<Raised>;
}

/**
 * Looks at the fleet. `before` is the time since which it was out of sight at the previous pass. @throws usage, and when it is interrupted
 */
export async function runMonitorPass(options: PassOptions, before: Date | null = null): Promise<MonitorPass> {
  const { watch, now, signal, home, location } = options;
  const time = now();
  // Only a hint: with --once the time is on this computer, and a file that cannot be read is a note of the look itself.
  const since = before ?? (await unseenBefore(memoryPath(home, location)));
  try {
    const fleet = await watch();
    const seenAfterMs = since === null ? null : Math.max(0, time.getTime() - since.getTime());
    return { time, fleet, failure: undefined, unseenSince: null, seenAfterMs, problems: [] };
  } catch (error) {
    if (signal.aborted || !isArchiverError(error) || error.code === 'usage') throw error;
    const problems: string[] = [];
    const kept = await noteUnseen(memoryPath(home, location), location, before ?? time).catch((reason: unknown) => {
      problems.push(`since when the fleet cannot be seen is not remembered: ${reasonText(reason)}`);
    });
    return { time, fleet: undefined, failure: error, unseenSince: kept ?? before ?? time, seenAfterMs: null, problems };
  }
}

async function unseenBefore(path: string): Promise<Date | null> {
  const { unseenSince } = (await readMemory(path).catch(undefinedOn('access-denied', 'io'))) ?? NO_MEMORY;
  return unseenSince === null ? null : new Date(unseenSince);
}

/** Returns since when the fleet is out of sight, remembering it if it is new. @throws what reading and saving throws */
async function noteUnseen(path: string, location: string, since: Date): Promise<Date> {
  const memory = await readMemory(path);
  if (memory.unseenSince !== null) return new Date(memory.unseenSince);
  await saveMemory(path, location, { ...memory, unseenSince: since.toISOString() });
  return since;
}

/** Handles the result of a look: metrics, budgets and alerts. Never throws. */
export async function handlePass(pass: MonitorPass, options: PassOptions): Promise<PassOutcome> {
  const { textfile, metrics, location, thresholdMs, now, readBook, raise } = options;
  const problems = [...pass.problems, ...(pass.fleet?.notes ?? [])];
  const tried = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      problems.push(`${what}: ${reasonText(error)}`);
      return undefined;
    }
  };
  if (textfile !== undefined)
    await tried('the metrics are not written', () => writeMetrics(textfile, pass.fleet, location));
  metrics?.fleetSeen(pass.fleet !== undefined, metricsText(pass.fleet, location));
  const book = await tried('budgets are not evaluated', readBook);
  if (book !== undefined) metrics?.budgets(usesIn(book, now()));
  const alerts = [
    ...alertsOf(pass, { location, thresholdMs }, now()),
    ...(book === undefined ? [] : allBudgetAlerts(book, now())),
  ];
  const { due, outcomes, problems: troubles } = await raise(alerts);
  const isSent = outcomes.some(({ delivery }) => delivery !== 'failed');
  const sent = isSent ? due : [];
  return { alerts: sent, unsentCount: due.length - sent.length, problems: [...problems, ...troubles] };
}

function alertsOf(
  { fleet, failure, unseenSince, seenAfterMs }: MonitorPass,
  { location, thresholdMs }: Pick<PassOptions, 'location' | 'thresholdMs'>,
  now: Date,
): readonly Alert[] {
  if (fleet !== undefined) {
    // Who was alerted that it is out of sight is told that it is back.
    const isBack = seenAfterMs !== null && seenAfterMs > thresholdMs;
    return [...(isBack ? [seenAgain(location, seenAfterMs, now)] : []), ...fleetAlerts(fleet, thresholdMs, now)];
  }
  if (failure === undefined || unseenSince === null) return [];
  const alert = unseenAlert({ location, since: unseenSince, why: failure.message }, thresholdMs, now);
  return alert === undefined ? [] : [alert];
}

const allBudgetAlerts = (book: BudgetBook, now: Date): readonly Alert[] => [
  ...budgetAlerts(book, null, now),
  ...[...book.projects.keys()].flatMap((project) =>
    budgetAlerts(book, project, now).filter(({ isGlobal }) => !isGlobal),
  ),
];

// Makes the alerts that the state of a fleet calls for. The caller leaves out those that were sent within the cooldown.
import { type Alert, newAlert, type Severity } from '../../notify/alerts/alert.js';
import { shellWord } from '../../platform/text/shell-word.js';
import type { WriterStatus } from './judge.js';
import { spanText } from './span.js';
import type { FleetStatus } from './watch-fleet.js';

/** Returns one alert for each writer that has not checked in, or has not succeeded for too long; the worst first. */
export const fleetAlerts = (
  { writers, location, lookedAt }: FleetStatus,
  thresholdMs: number,
  now: Date,
): readonly Alert[] =>
  writers.flatMap((writer) => {
    const due = dueOf(writer, lookedAt, thresholdMs);
    if (due === undefined) return [];
    const { writerId, troubles, lastSuccessAt } = writer;
    const last = lastSuccessAt === null ? '' : `; its last success was at ${lastSuccessAt.toISOString()}`;
    const description = `writer ${writerId}: ${due.why ?? troubles.join('; ')}${last}`;
    const recommendation = `see how it is: archiver fleet status ${shellWord(location)}`;
    return [
      newAlert({ type: 'stale_writer', severity: due.severity, writerId, location, description, recommendation }, now),
    ];
  });

interface Due {
  readonly severity: Severity;
  readonly why?: string;
}

function dueOf(writer: WriterStatus, lookedAt: Date, thresholdMs: number): Due | undefined {
  const { condition, config, isCloned, lastSuccessAt, heartbeat, staleAfterMs } = writer;
  const nowMs = lookedAt.getTime();
  if (condition === 'stale') return { severity: 'critical' };
  // A writer that has just been given a config is about to be started.
  if (condition === 'missing')
    return config !== undefined && nowMs - config.putAt.getTime() > thresholdMs ? { severity: 'critical' } : undefined;
  const hasFindings = (heartbeat?.findings ?? []).length > 0;
  if (condition === 'unknown' || isCloned || hasFindings) return { severity: 'warning' };
  if (condition !== 'failing') return undefined;
  if (lastSuccessAt === null) return heartbeat === undefined ? undefined : { severity: 'warning' };
  return nowMs - lastSuccessAt.getTime() > staleAfterMs ? { severity: 'warning' } : undefined;
}

/** Returns the alert for a fleet that cannot be seen at all; undefined before the threshold. */
export function unseenAlert(
  { location, since, why }: { readonly location: string; readonly since: Date; readonly why: string },
  thresholdMs: number,
  now: Date,
): Alert | undefined {
  const forMs = now.getTime() - since.getTime();
  if (forMs <= thresholdMs) return undefined;
  const description = `nothing has been seen of the fleet at ${location} for ${spanText(forMs)}: ${why}`;
  const recommendation =
    'see whether the store and the credentials of the monitor are well; the writers may be, or not';
  return newAlert({ type: 'stale_writer', severity: 'critical', location, description, recommendation }, now);
}

/** Returns the alert for a fleet that is seen again, after it had been out of sight for longer than the threshold. */
export function seenAgain(location: string, afterMs: number, now: Date): Alert {
  const description = `the fleet at ${location} is seen again, after ${spanText(afterMs)}`;
  const recommendation = `see what came of it: archiver fleet status ${shellWord(location)}`;
  return newAlert({ type: 'stale_writer', severity: 'info', location, description, recommendation }, now);
}

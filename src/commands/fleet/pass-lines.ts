// The output of `fleet monitor` about a pass.
import type { PassOutcome, MonitorPass } from '../../core/fleet/watch/monitor-pass.js';
import { needsAttention } from '../../core/fleet/watch/judge.js';
import { conditionList, rolloutDocument, writerDocument } from '../../core/fleet/watch/fleet-document.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatDuration, formatQuantity } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';
import { countsText, troubleLines } from './fleet-lines.js';

/** A line with the time of the pass, and one for each of the first troubles. */
export function passText(
  { time, fleet, failure, unseenSince, seenAfterMs }: MonitorPass,
  isVerbose: boolean,
): readonly string[] {
  const at = formatTimestamp(time);
  const again = seenAfterMs === null ? '' : `seen again after ${formatDuration(seenAfterMs)}: `;
  if (fleet !== undefined) return [`${at} ${again}${countsText(fleet)}`, ...troubleLines(fleet, isVerbose)];
  const forMs = time.getTime() - (unseenSince ?? time).getTime();
  const since = forMs > 0 ? ` for ${formatDuration(forMs)}` : '';
  return [`${at} ✗ the fleet cannot be seen${since}: ${printable(failure?.message ?? '')}`];
}

/** Lines about alerts; none if no alert was due, or all of them had been sent lately. */
export const alertsText = ({ alerts, unsentCount }: PassOutcome): readonly string[] => [
  ...(alerts.length === 0 ? [] : [`  ${formatQuantity(alerts.length, 'alert')} sent`]),
  ...(unsentCount === 0 ? [] : [`  ${formatQuantity(unsentCount, 'alert')} not sent; see archiver alerts config`]),
];

/** The pass as JSON, with the writers that need attention. */
export const passDocument = (
  { time, fleet, failure, unseenSince, seenAfterMs }: MonitorPass,
  { alerts, unsentCount, problems }: PassOutcome,
) => ({
  time: time.toISOString(),
  isSeen: fleet !== undefined,
  reason: failure?.message ?? null,
  unseenSince: unseenSince?.toISOString() ?? null,
  seenAfterMs,
  ...(fleet && {
    lookedAt: fleet.lookedAt.toISOString(),
    writerCount: fleet.writers.length,
    writerConditions: conditionList(fleet.counts),
    troubledCount: fleet.troubledCount,
    rollout: rolloutDocument(fleet.writers),
    troubledWriters: fleet.writers.filter(needsAttention).map(writerDocument),
  }),
  alerts,
  unsentCount,
  notes: problems,
});

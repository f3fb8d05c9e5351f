// Texts while chunks are restored from cold storage: how many are readable, the state of each, and the next check.
import { roundedUsd } from '../../core/cost/money.js';
import type { ThawProgress, TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';

/** "7 of 12 chunks readable". */
export const readableText = ({ readable, chunks }: ThawProgress): string =>
  `${formatCount(readable)} of ${formatQuantity(chunks.length, 'chunk')} readable`;

/** Says what Ctrl+C does, with the command that continues if a job is saved. */
export function thawInterrupt({ jobId }: ThawProgress): readonly [long: string, short: string] {
  if (jobId === undefined) {
    const text = 'ctrl+c stops here; what was asked for stays asked for';
    return [text, text];
  }
  const next = `archiver restore jobs check ${jobId}`;
  return [`ctrl+c stops here; the job ${jobId} is saved: ${next}`, `ctrl+c stops; then: ${next}`];
}

/** Text about what is kept after an interruption. */
export function keptThawText({ jobId }: ThawProgress): string {
  const asked = 'what was asked for comes back all the same';
  return jobId === undefined ? asked : `${asked}; the job is saved: archiver restore jobs check ${jobId}`;
}

/** The state in one log line: `thawing 7/12 chunks readable, 5 thawing, next look 2025-11-14T12:09:00Z`. */
export function thawLogText(thaw: ThawProgress): string {
  const next = formatTimestamp(new Date(thaw.nextLookAtMs));
  const others = [...countsOf(thaw)]
    .filter(([state]) => state !== 'readable')
    .map(([state, count]) => `, ${count} ${state}`);
  return `thawing ${thaw.readable}/${thaw.chunks.length} chunks readable${others.join('')}, next look ${next}`;
}

/** The state as data for machines. */
export function thawObject({ thaw }: TransferSnapshot) {
  if (thaw === undefined) return undefined;
  const { jobId, chunks, tier, wait, storageClasses, costUsd, nextLookAtMs } = thaw;
  const nextLookAt = new Date(nextLookAtMs).toISOString();
  return {
    jobId,
    tier,
    wait,
    storageClasses,
    costUsd: roundedUsd(costUsd),
    chunksByState: Object.fromEntries(countsOf(thaw)),
    chunkStates: chunks,
    nextLookAt,
  };
}

function countsOf({ chunks }: ThawProgress): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([['readable', 0]]);
  for (const state of chunks) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

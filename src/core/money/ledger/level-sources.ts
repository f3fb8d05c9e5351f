// Tells how what a store holds is known: computed from the records of runs, and measured by a rebase.
import { dayOf } from './days.js';
import type { Period } from './period.js';
import type { LedgerRecord } from './record.js';

export interface LevelSource {
  /** URL of the store. */
  readonly url: string;
  /** Time of its first record, ISO 8601. */
  readonly computedFrom: string;
  /** Time of the last rebase of it, ISO 8601; null when it was never measured. Since then its levels are computed again. */
  readonly measuredAt: string | null;
  readonly measuredBy: 'listing' | 'inventory' | null;
}

/** Returns the sources for these stores until the end of a period. Records must be in order of time, of all projects. */
export function levelSources(
  records: readonly LedgerRecord[],
  urls: ReadonlySet<string>,
  { until }: Period,
): readonly LevelSource[] {
  const ours = records.filter(({ time }) => dayOf(new Date(time)) < until);
  // A rebase has one record without a project and an upload in the place itself.
  const rebases = ours.flatMap(({ measured, store, project, uploadId, time }) =>
    measured !== undefined && store === measured.place && project === null && uploadId === null
      ? [{ ...measured, time }]
      : [],
  );
  return [...urls].sort().map((url) => {
    const last = rebases.findLast(({ place }) => url === place || url.startsWith(`${place}/`));
    const first = ours.find(({ store }) => store === url);
    const computedFrom = first?.time ?? last?.time ?? '';
    return { url, computedFrom, measuredAt: last?.time ?? null, measuredBy: last?.by ?? null };
  });
}

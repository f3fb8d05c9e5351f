// Sums up what each project has cost until now.
import { listsByKey } from '../../platform/lists-by-key.js';
import { periodOf } from './period.js';
import type { LedgerRecord } from './record.js';
import { type Amount, spentIn } from './report.js';

export interface ProjectSum extends Pick<Amount, 'costUsd' | 'knownUsd' | 'gbMonths' | 'requestCount'> {
  readonly project: string | null;
  readonly runs: number;
  readonly files: number;
  readonly bytes: number;
  /** Bytes stored now. */
  readonly storedBytes: number;
  /** ISO 8601. */
  readonly lastRunAt: string;
}

/** Returns the sum of each project, the most expensive first. Records must be in order of time. */
export function projectSums(records: readonly LedgerRecord[], now: Date): readonly ProjectSum[] {
  const period = periodOf('all', now);
  return Array.from(
    listsByKey(records, ({ project }) => project),
    ([project, own]) => {
      const { runs, files, bytes, storedBytes, costUsd, knownUsd, gbMonths, requestCount } = spentIn(own, period);
      const amount = { costUsd, knownUsd, gbMonths, requestCount };
      return { project, runs, files, bytes, storedBytes, ...amount, lastRunAt: own.at(-1)?.time ?? '' };
    },
  ).sort((one, other) => other.knownUsd - one.knownUsd || (one.lastRunAt < other.lastRunAt ? 1 : -1));
}

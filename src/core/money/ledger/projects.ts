// Projects by what they have cost until now.
import { listsByKey } from '../../platform/lists-by-key.js';
import { periodOf } from './period.js';
import type { LedgerRecord } from './record.js';
import { spentIn } from './report.js';

export interface ProjectSum {
  readonly project: string | null;
  readonly runs: number;
  readonly files: number;
  readonly bytes: number;
  /** What lies in the stores now. */
  readonly storedBytes: number;
  readonly costUsd: number | null;
  /** What is known of it, where a part is not. */
  readonly knownUsd: number;
  /** ISO 8601. */
  readonly lastRunAt: string;
}

/** Each project, the dearest first. Records are in the order of their times. */
export function projectSums(records: readonly LedgerRecord[], now: Date): readonly ProjectSum[] {
  const period = periodOf('all', now);
  return Array.from(
    listsByKey(records, ({ project }) => project),
    ([project, own]) => {
      const { runs, files, bytes, storedBytes, costUsd, knownUsd } = spentIn(own, period);
      return { project, runs, files, bytes, storedBytes, costUsd, knownUsd, lastRunAt: own.at(-1)?.time ?? '' };
    },
  ).sort((one, other) => other.knownUsd - one.knownUsd || (one.lastRunAt < other.lastRunAt ? 1 : -1));
}

// Groups records by the DVC stage and git commit of their uploads. Later runs that change an upload count for it as well: what a prune
// deletes is no longer stored.
import { addTo } from '../../platform/lists-by-key.js';
import type { Period } from './period.js';
import type { LedgerRecord } from './record.js';
import { spentIn, type SpentReport } from './report.js';

export interface Tag {
  readonly dvcStage: string | null;
  readonly gitCommit: string | null;
}

export interface TaggedSum
  extends Tag, Pick<SpentReport, 'runs' | 'storedBytes' | 'costUsd' | 'knownUsd' | 'gbMonths' | 'requestCount'> {}

export interface TagFilter {
  readonly dvcStage?: string | undefined;
  /** A prefix of the commit hash. */
  readonly gitCommit?: string | undefined;
}

export interface TaggedSpend {
  readonly sums: readonly TaggedSum[];
  readonly report: SpentReport;
}

/** Returns what tagged uploads have cost in a period, in total and for each tag, in the order of each tag's first run. */
export function taggedSpend(records: readonly LedgerRecord[], filter: TagFilter, period: Period): TaggedSpend {
  const ofUploads = new Map<string, Tag>();
  const byTag = new Map<string, LedgerRecord[]>();
  const all: LedgerRecord[] = [];
  for (const record of records) {
    const { uploadId, dvcStage, gitCommit } = record;
    if (uploadId !== null && (dvcStage !== null || gitCommit !== null))
      ofUploads.set(uploadId, { dvcStage, gitCommit });
    const tag = (uploadId === null ? undefined : ofUploads.get(uploadId)) ?? { dvcStage, gitCommit };
    if (!isWanted(tag, filter)) continue;
    addTo(byTag, JSON.stringify([tag.dvcStage, tag.gitCommit]), record);
    all.push(record);
  }
  const sums = Array.from(byTag, ([name, own]) => {
    const [dvcStage, gitCommit] = JSON.parse(name) as [string | null, string | null];
    const { runs, storedBytes, costUsd, knownUsd, gbMonths, requestCount } = spentIn(own, period);
    return { dvcStage, gitCommit, runs, storedBytes, costUsd, knownUsd, gbMonths, requestCount };
  });
  return { sums, report: spentIn(all, period) };
}

const isWanted = ({ dvcStage, gitCommit }: Tag, wanted: TagFilter): boolean =>
  (dvcStage !== null || gitCommit !== null) &&
  (wanted.dvcStage === undefined || dvcStage === wanted.dvcStage) &&
  (wanted.gitCommit === undefined || gitCommit?.startsWith(wanted.gitCommit) === true);

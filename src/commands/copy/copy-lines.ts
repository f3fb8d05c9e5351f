// What a copy says when it has ended, or a dry run of it.
import type { Document } from '../../json/documents.js';
import type { CopyFailure } from '../../core/mend/copy/copy-run.js';
import type { CopyPlan, PlannedVersion } from '../../core/mend/copy/plan-copy.js';
import type { CopyResult } from '../../core/mend/copy/copy-versions.js';
import type { ListedVersion } from '../../core/dataset/records/versions.js';
import { type VersionName, versionName } from '../../core/dataset/records/version-name.js';
import { defined } from '../../core/platform/defined.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { amountText, bytesOf, fact, firstLines } from '../kit/lines.js';

type State = Document<'copy'>['copiedVersions'][number]['copyState'];

/** The versions of a copy by what became of them. */
export interface CopyOutcome {
  readonly made: readonly PlannedVersion[];
  readonly there: readonly PlannedVersion[];
  readonly retired: readonly ListedVersion[];
  readonly failures: readonly CopyFailure[];
}

export const outcomeOf = (plan: CopyPlan, { made, there, failures }: CopyResult): CopyOutcome => ({
  made,
  there,
  retired: plan.retired,
  failures,
});

/** What a dry run expects. */
export const plannedOutcome = ({ versions, retired, failures }: CopyPlan): CopyOutcome => ({
  made: versions.filter(({ state }) => state === 'new'),
  there: versions.filter(({ state }) => state === 'there'),
  retired,
  failures,
});

const rowOf = (name: VersionName & { readonly datasetId: string }, copyState: State) => ({
  datasetId: name.datasetId,
  version: name.version,
  ...defined({ fork: name.fork }),
  copyState,
});

const recordRow = ({ listed, record: { uploadId } }: PlannedVersion, state: State) => ({
  ...rowOf(listed, state),
  uploadId,
});

/** Rows of JSON, each dataset oldest first. A version whose tags alone are missing is made and failed: it comes as failed. */
export function versionRows({ made, there, retired, failures }: CopyOutcome, madeState: 'made' | 'planned') {
  const failed = new Set(failures.map(({ version }) => version.key));
  const isWell = ({ listed }: PlannedVersion): boolean => !failed.has(listed.key);
  const rows = [
    ...made.filter(isWell).map((one) => recordRow(one, madeState)),
    ...there.filter(isWell).map((one) => recordRow(one, 'there')),
    ...retired.map((one) => rowOf(one, 'retired')),
    ...failures.map(({ version, error }) => ({
      ...rowOf(version, 'failed'),
      problem: error.message,
      hint: error.hint ?? null,
    })),
  ];
  return rows.toSorted(
    (a, b) => (a.datasetId < b.datasetId ? -1 : Number(a.datasetId > b.datasetId)) || a.version - b.version,
  );
}

/** One sentence for each version that was not copied. */
export const failureTexts = ({ failures }: CopyOutcome): readonly string[] =>
  failures.map(({ version, error }) => {
    const hint = error.hint === undefined ? '' : ` (${error.hint})`;
    return `${versionName(version)} of ${printable(version.datasetId)} was not copied: ${error.message}${hint}`;
  });

interface Headline {
  readonly from: string;
  readonly to: string;
  readonly isVerbose: boolean;
}

/** Lines about what was, or would be, copied. */
export function copyLines(
  outcome: CopyOutcome,
  verb: 'Copied' | 'Would copy',
  sent: { readonly objects: number; readonly bytes: number },
  { from, to, isVerbose }: Headline,
): readonly string[] {
  const { made, there, retired, failures } = outcome;
  const what = formatQuantity(made.length, 'version');
  const isNothing = made.length === 0 && sent.objects === 0;
  const how = isNothing ? 'Nothing to copy' : `${verb} ${what} (${amountText(sent.objects, 'object', sent.bytes)})`;
  const names = made.map(({ listed }) => fact('version', `${versionName(listed)} of ${printable(listed.datasetId)}`));
  const gone = retired.map((one) => `${versionName(one)} of ${printable(one.datasetId)}`);
  return [
    `${how} from ${printable(from)} to ${printable(to)}`,
    ...firstLines(names, { isVerbose }),
    ...(there.length === 0
      ? []
      : [fact('there', `${formatQuantity(there.length, 'version')} already, all objects with their sizes`)]),
    ...firstLines(
      gone.map((name) => fact('left out', `${name}: retired there, and what is retired does not come back`)),
      { isVerbose },
    ),
    ...(failures.length === 0 ? [] : [fact('failed', formatQuantity(failures.length, 'version'))]),
  ];
}

export const plannedAmounts = ({ missing }: CopyPlan): { readonly objects: number; readonly bytes: number } => ({
  objects: missing.length,
  bytes: bytesOf(missing),
});

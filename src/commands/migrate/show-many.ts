// The output of a migration of many archives, done or planned.
import type { Context } from '../../cli/context.js';
import type { ArchivePlace } from '../../core/mend/migrate/archive-source.js';
import type { FoundArchives } from '../../core/mend/migrate/find-archives.js';
import { defined } from '../../core/platform/defined.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { amountText, fact, firstLines, textOf } from '../kit/lines.js';
import { partDocument } from '../kit/part.js';
import { plannedCostFacts, plannedDocument } from '../upload/dry-run.js';
import type { ArchiveOutcome } from './archive-outcome.js';
import { planOf } from './many-plan.js';
import type { MigrateValues } from './flags.js';
import type { MigrateCall } from './migrate-call.js';
import { migratedDocument, originalText } from './one-archive.js';

/** One line for an archive that is done. */
export function outcomeLine(outcome: ArchiveOutcome): string {
  const url = printable(outcome.url);
  switch (outcome.status) {
    case 'migrated': {
      const { datasetId, version, files, bytes, skipped, result } = { ...outcome.result, result: outcome.result };
      const left = skipped.length === 0 ? '' : `, ${skipped.length} left out`;
      const lost = result.notKept.length === 0 ? '' : `; not kept: ${result.notKept.join('; ')}`;
      const checked = result.validated ? 'validated' : 'not validated';
      return `migrated     ${url}: version ${version} of ${printable(datasetId)}, ${amountText(files, 'file', bytes)}${left}, ${checked}, original ${originalText(result)}${lost}`;
    }
    case 'planned': {
      const { inspected, version } = outcome;
      const { datasetId, format, files, bytes, skipped } = inspected;
      const left = skipped.length === 0 ? '' : `, ${skipped.length} left out`;
      return `would be     ${url} (${format}): version ${version} of ${printable(datasetId)}, ${amountText(files, 'file', bytes)}${left}`;
    }
    case 'passedOver': {
      const { datasetId, version, isPartial } = outcome.known;
      const part = isPartial ? ', but for what was refused of it' : '';
      return `passed over  ${url}: version ${version} of ${printable(datasetId)} holds it${part}; original ${originalText(outcome)}`;
    }
    case 'failed':
    case 'notBegun':
      return `${outcome.status === 'failed' ? 'failed     ' : 'not begun  '}  ${url}: ${printable(outcome.reason)}`;
    default:
      return outcome satisfies never;
  }
}

interface Many {
  readonly place: ArchivePlace;
  readonly found: FoundArchives;
  readonly outcomes: readonly ArchiveOutcome[];
  readonly durationMs: number;
}

/** Prints the sums, what failed and what lies there besides. Lines of single archives are printed before. */
export async function showMany(many: Many, call: MigrateCall, context: Context<'migrate'>): Promise<void> {
  const { place, found, outcomes, durationMs } = many;
  const { values } = call;
  const plan = values.dryRun ? await planOf(outcomes, call, context) : undefined;
  const document = {
    source: place.url,
    archiveCount: found.count,
    ...partDocument(values.part),
    archives: outcomes.map((outcome) => outcomeDocument(outcome, context)),
    ...sumsOf(outcomes),
    skipped: found.passedOver,
    skippedCount: found.passedOverCount,
    durationMs,
    ...(plan === undefined ? {} : { ...plannedRest(plan, context), tempBytes: tempBytesOf(outcomes) }),
  };
  const lines = [
    headline(many, values),
    ...(plan === undefined
      ? []
      : [`At most ${formatBytes(tempBytesOf(outcomes))} are needed in the temporary folder at a time.`]),
    ...(plan === undefined ? [] : plannedCostFacts(plan, context)),
    ...firstLines(outcomes.filter(({ status }) => status === 'notBegun').map(outcomeLine), {
      isVerbose: context.verbose,
    }),
    ...firstLines(
      found.passedOver.map(({ path, reason }) => fact('no archive', `${path}: ${reason}`)),
      { total: found.passedOverCount, isVerbose: context.verbose },
    ),
    ...(values.dryRun ? ['Nothing was written (--dry-run).'] : []),
  ];
  context.outcome(document, () => textOf(lines));
}

function headline({ place, found, outcomes }: Many, { part, dryRun }: MigrateValues): string {
  const countOf = (status: ArchiveOutcome['status']): number => outcomes.filter((one) => one.status === status).length;
  const { files, bytes } = sumsOf(outcomes);
  const of = part === undefined ? '' : `, ${outcomes.length} of them in part ${part.number} of ${part.of}`;
  const counts = [
    dryRun ? `${countOf('planned')} would be migrated` : `${countOf('migrated')} migrated`,
    `${countOf('passedOver')} migrated already`,
    ...(['failed', 'notBegun'] as const).flatMap((status) =>
      countOf(status) === 0 ? [] : [`${countOf(status)} ${status === 'failed' ? 'failed' : 'not begun'}`],
    ),
  ];
  return `${formatQuantity(found.count, 'archive')} below ${printable(place.url)}${of}: ${counts.join(', ')} (${amountText(files, 'file', bytes)})`;
}

/** What was stored, or would be. */
function sumsOf(outcomes: readonly ArchiveOutcome[]): Record<'files' | 'bytes' | 'storedBytes', number> {
  const sums = { files: 0, bytes: 0, storedBytes: 0 };
  for (const outcome of outcomes) {
    if (outcome.status !== 'migrated' && outcome.status !== 'planned') continue;
    const { files, bytes } = outcome.status === 'migrated' ? outcome.result : outcome.inspected;
    sums.files += files;
    sums.bytes += bytes;
    if (outcome.status === 'migrated') sums.storedBytes += outcome.result.storedBytes;
  }
  return sums;
}

/** The most that one archive needs: each is removed before the next. */
const tempBytesOf = (outcomes: readonly ArchiveOutcome[]): number =>
  outcomes.reduce((most, one) => Math.max(most, one.status === 'planned' ? one.inspected.tempBytes : 0), 0);

function outcomeDocument(outcome: ArchiveOutcome, context: Context<'migrate'>) {
  const { status, url: archive } = outcome;
  switch (outcome.status) {
    case 'migrated': {
      const document = migratedDocument(outcome.result, context);
      const { uploadId, location, datasetId, version, fork, files, bytes, storedBytes, format, skipped } = document;
      const { validated, originalDeleted, originalKept, notKept, cost } = document;
      const made = { uploadId, location, datasetId, version, files, bytes, storedBytes, format, validated, notKept };
      return { archive, status, ...made, originalDeleted, skipped, ...defined({ fork, originalKept, cost }) };
    }
    case 'planned': {
      const { datasetId, files, bytes, tempBytes, format, notKept, skipped } = outcome.inspected;
      const left = skipped.map(({ path, reason }) => ({ path, reason }));
      return {
        archive,
        status,
        datasetId,
        version: outcome.version,
        files,
        bytes,
        tempBytes,
        format,
        notKept,
        skipped: left,
      };
    }
    case 'passedOver': {
      const { known, originalDeleted, originalKept } = outcome;
      const { uploadId, location, datasetId, version, isValidated: validated } = known;
      const made = { uploadId, location, datasetId, version, validated, originalDeleted };
      return { archive, status, ...made, ...defined({ originalKept }) };
    }
    case 'failed':
    case 'notBegun':
      return { archive, status, reason: outcome.reason };
    default:
      return outcome satisfies never;
  }
}

/** Each archive has its own dataset. */
function plannedRest(plan: Parameters<typeof plannedDocument>[0], context: Context<'migrate'>) {
  const { dataset: _dataset, ...rest } = plannedDocument(plan, context);
  return rest;
}

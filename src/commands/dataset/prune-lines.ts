// The text of a prune: what it will do, and what it did.
import type { EarlyDeletion } from '../../core/cost/early-deletion.js';
import { ordinalsText } from '../../core/dataset/records/ordinals-text.js';
import type { PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import type { KeptVersion } from '../../core/dataset/prune/sort-versions.js';
import type { PruneRun } from '../../core/dataset/prune/run-prune.js';
import type { ReadRecord } from '../../core/dataset/records/versions.js';
import { unfinishedBytes } from '../../core/store/unfinished-bytes.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { formatMinute } from '../../ui/format-time.js';
import { amountText, bytesOf, fact, failureText, firstLines } from '../kit/lines.js';
import { priceListText } from '../kit/price-lines.js';
import { DEFAULT_GRACE_MS, lastUndelete, undeleteCommand } from '../../core/dataset/records/undelete-hint.js';
import { versionName } from '../../core/dataset/records/version-name.js';

const MAX_NAMED = 10;

const VERSIONED =
  'the bucket keeps older versions: this stays stored until a lifecycle rule removes them (NoncurrentVersionExpiration)';

const versionsText = (versions: readonly ReadRecord[]): string =>
  `${formatQuantity(versions.length, 'version')}: ${ordinals(versions)}`;

const ordinals = (versions: readonly ReadRecord[]): string => ordinalsText(versions.map(({ record }) => record));

/** Formats the time from which objects that are marked now can be deleted. */
const momentText = formatMinute;

/** Lines about what will happen. */
export function planLines(
  { plan, fees, freedFrom, dead }: Pick<PruneRun, 'plan' | 'freedFrom' | 'dead'> & { readonly fees: EarlyDeletion },
  isVerbose: boolean,
): string[] {
  const { datasetIds, sweep, marked } = plan;
  const due = `${amountText(sweep.objects.length, 'object', bytesOf(sweep.objects))}, marked before`;
  return [
    ...datasetIds.flatMap((datasetId) => datasetLines(partOf(plan, datasetId), datasetId, isVerbose)),
    ...(datasetIds.length === 1 ? [] : [allText(plan)]),
    ...doubtLines(plan, isVerbose),
    ...abandonedLines(plan),
    ...(marked.length === 0 ? [] : [fact(freedFrom === undefined ? 'delete' : 'mark', markedText(plan, freedFrom))]),
    ...(sweep.due.length === 0 ? [] : [fact('delete', due)]),
    ...checkLines('remove', plan),
    ...deadLines('remove', dead),
    ...waitingLines(plan),
    ...heldLines(plan),
    ...feeLines(fees),
  ];
}

type Versions = Pick<PrunePlan, 'kept' | 'retired' | 'compacted' | 'dependent'>;

function partOf({ kept, retired, compacted, dependent }: PrunePlan, datasetId: string): Versions {
  const its = <T extends ReadRecord>(versions: readonly T[]): readonly T[] =>
    versions.filter(({ record }) => record.datasetId === datasetId);
  return { kept: its(kept), retired: its(retired), compacted: its(compacted), dependent: its(dependent) };
}

const datasetLines = (
  { kept, retired, compacted, dependent }: Versions,
  datasetId: string,
  isVerbose: boolean,
): string[] => [
  `dataset ${printable(datasetId)}`,
  fact('keep', versionsText(kept)),
  ...firstLines(kept.toReversed().map(reasonsLine), { isVerbose }),
  fact('retire', retired.length === 0 ? 'no version' : versionsText(retired)),
  ...(dependent.length === 0
    ? []
    : [
        fact(
          'keep',
          `what ${ordinals(dependent)} builds on stays; --exclusive rewrites the manifest, so that it can go`,
        ),
      ]),
  ...(compacted.length === 0 ? [] : [fact('rewrite', `the manifest of ${ordinals(compacted)}, to be complete`)]),
];

const allText = ({ datasetIds, kept, retired }: PrunePlan): string =>
  `${formatQuantity(datasetIds.length, 'dataset')}: ${formatQuantity(kept.length, 'version')} kept, ` +
  `${formatCount(retired.length)} to retire`;

const reasonsLine = ({ record, reasons }: KeptVersion): string =>
  fact('', `${versionName(record)}: ${reasons.join(', ')}`);

function markedText({ marked }: PrunePlan, freedFrom: Date | undefined): string {
  const objects = marked.flatMap((upload) => upload.objects);
  const amount = amountText(objects.length, 'object', bytesOf(objects));
  return freedFrom === undefined ? amount : `${amount}: deleted by a prune after ${momentText(freedFrom)}`;
}

function waitingLines({ sweep: { waiting } }: PrunePlan): string[] {
  const { objects, bytes, until } = waiting;
  if (objects === 0 || until === undefined) return [];
  const amount = amountText(objects, 'object', bytes);
  return [fact('waiting', `${amount}, marked before: deleted by a prune after ${momentText(until)}`)];
}

/** A line about objects that Object Lock keeps, even if they were marked. */
function heldLines({ held: { objects, bytes, until } }: PrunePlan): string[] {
  if (until === undefined) return [];
  return [fact('locked', `${amountText(objects, 'object', bytes)}: deleted by a prune after ${momentText(until)}`)];
}

const deadLines = (title: 'remove' | 'removed', dead: PruneRun['dead']): string[] =>
  dead.length === 0 ? [] : [fact(title, amountText(dead.length, 'unfinished write', unfinishedBytes(dead)))];

const checkLines = (title: 'remove' | 'removed', { oldChecks }: PrunePlan): string[] =>
  oldChecks.length === 0 ? [] : [fact(title, `${formatQuantity(oldChecks.length, 'record')} of checks`)];

function doubtLines({ datasetIds, doubts }: PrunePlan, isVerbose: boolean): readonly string[] {
  const lines = doubts.map(({ datasetId, texts, ...version }) => {
    const of = datasetIds.length === 1 ? '' : ` of ${printable(datasetId)}`;
    return fact('look at', `${versionName(version)}${of}: ${texts.join('; ')}`);
  });
  return firstLines(lines, { isVerbose });
}

function abandonedLines({ marked }: PrunePlan): string[] {
  const abandoned = marked.filter(({ reason }) => reason === 'abandoned');
  if (abandoned.length === 0) return [];
  const named = abandoned.slice(0, MAX_NAMED).map(({ uploadId }) => uploadId);
  const more = abandoned.length > MAX_NAMED ? ` and ${abandoned.length - MAX_NAMED} more` : '';
  const what = `${formatQuantity(abandoned.length, 'upload')} that never became a version`;
  return [fact('abandoned', `${what}: ${named.join(', ')}${more}`)];
}

/** Lines about the fees for deletion before the end of the minimum storage time, by class. */
function feeLines(fees: EarlyDeletion): string[] {
  const { byClass, costUsd } = fees;
  if (byClass.length === 0) return [];
  const lines = byClass.map(({ storageClass, minimumDays, objects, bytes, costUsd: cost }) => {
    const what = `${amountText(objects, 'object', bytes)} in ${printable(storageClass)}`;
    if (minimumDays === null) return fact('fee', `unknown: ${what}, a class that is not known`);
    return fact('fee', `${usd(cost)}: ${what} before ${minimumDays} days are over`);
  });
  return [
    ...lines,
    fact('early', `deletion costs ${usd(costUsd)} in all, at ${priceListText(fees) ?? 'prices of no list'}`),
  ];
}

const usd = (amount: number | null): string => (amount === null ? 'an unknown amount' : formatUsd(amount));

/** Where it was done, and with which grace. */
export interface PrunedPlace {
  readonly url: string;
  readonly graceMs: number;
}

/** Lines about what was done. */
export function outcomeLines(
  { plan, outcome, freedFrom, dead, keepsVersions }: PruneRun,
  place: PrunedPlace,
): string[] {
  const { marked } = plan;
  if (outcome === undefined) return [`nothing to prune: ${keepsText(plan)}`, ...waitingLines(plan), ...heldLines(plan)];
  const { deletedObjects, freedBytes, failed } = outcome;
  const isMarked = marked.length > 0 && freedFrom !== undefined;
  return [
    ...retiredLines(plan),
    ...(isMarked ? [fact('marked', markedText(plan, freedFrom))] : []),
    fact('deleted', amountText(deletedObjects, 'object', freedBytes)),
    ...(keepsVersions && deletedObjects > 0 ? [fact('', VERSIONED)] : []),
    ...checkLines('removed', plan),
    ...deadLines('removed', dead),
    ...waitingLines(plan),
    ...heldLines(plan),
    ...firstLines(failed.map(({ key, reason }) => fact('failed', failureText({ path: key, reason })))),
    ...undoLines(plan, freedFrom, place),
  ];
}

/** How, and until when, what was retired comes back. Of what did so before there may be marks that are too old for it. */
function undoLines({ retired }: PrunePlan, freedFrom: Date | undefined, { url, graceMs }: PrunedPlace): string[] {
  const records = retired.map(({ record }) => record).filter(({ wasRetiredAt }) => wasRetiredAt === undefined);
  const [first, ...others] = records;
  if (first === undefined || freedFrom === undefined) return [];
  const dataset = others.some(({ datasetId }) => datasetId !== first.datasetId) ? 'ID' : first.datasetId;
  const command = undeleteCommand(url, dataset, others.length === 0 ? first : 'N');
  const grace = graceMs === DEFAULT_GRACE_MS ? '' : ` --grace ${Math.floor(graceMs / 60_000)}m`;
  const until = lastUndelete(new Date(freedFrom.getTime() - graceMs), graceMs);
  return [fact('undo', `until ${momentText(until)}: ${command}${grace}`)];
}

function keepsText({ datasetIds, kept }: PrunePlan): string {
  const [datasetId = ''] = datasetIds;
  if (datasetIds.length === 1) return `dataset ${printable(datasetId)} keeps ${ordinals(kept)}`;
  return `${formatQuantity(datasetIds.length, 'dataset')} keep ${formatQuantity(kept.length, 'version')}`;
}

/** A line for each dataset, after a sum if there are several. */
function retiredLines(plan: PrunePlan): string[] {
  const { datasetIds, retired, kept } = plan;
  const each = datasetIds.flatMap((datasetId) => {
    const its = partOf(plan, datasetId);
    const rewrote = its.compacted.length === 0 ? [] : [fact('rewrote', `the manifest of ${ordinals(its.compacted)}`)];
    const what = `retired ${formatQuantity(its.retired.length, 'version')} of dataset ${printable(datasetId)}`;
    return [`${what}, kept ${versionsText(its.kept)}`, ...rewrote];
  });
  if (datasetIds.length === 1) return each;
  const all = `${formatQuantity(retired.length, 'version')} of ${formatQuantity(datasetIds.length, 'dataset')}`;
  return [...each, `retired ${all} in all, kept ${formatCount(kept.length)}`];
}

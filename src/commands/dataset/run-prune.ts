// `archiver dataset prune`: plan, show, ask, carry out.
import { randomBytes } from 'node:crypto';
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/failures/errors.js';
import { earlyDeletion, type EarlyDeletion } from '../../core/cost/early-deletion.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { hasWork, planPrune, type PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import { prune, type PruneOutcome } from '../../core/dataset/prune/prune.js';
import type { ReadRecord } from '../../core/dataset/versions.js';
import { readOnly } from '../../core/object-store/read-only.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import { printable } from '../../core/paths/raw-path.js';
import { openForReading } from '../kit/store.js';
import { datasetBase } from '../kit/dataset-target.js';
import type { DatasetPruneValues } from './prune.js';
import { outcomeText, planText, type PruneReport } from './prune-text.js';

/** Runs the command; returns its exit status. */
export async function runDatasetPrune(values: DatasetPruneValues, url: string, context: Context): Promise<number> {
  const base = datasetBase(url, values.writerId);
  const datasetId = checkDatasetId(values.datasetId);
  refuseUnasked(values, context);
  const startedAt = context.now().getTime();
  const opened = await openForReading(base, values, context);
  try {
    const options = planOptions(values, datasetId, context);
    const plan = await planPrune(readOnly(opened.store), options);
    for (const warning of plan.warnings) context.warn(printable(warning));
    const fees = feesOf(plan, opened, context);
    const freedFrom = options.graceMs === 0 ? undefined : new Date(startedAt + options.graceMs);
    const outcome = await carryOut(values, { plan, fees, freedFrom, options, opened }, context);
    const durationMs = context.now().getTime() - startedAt;
    const done = { outcome, plan: outcome?.plan ?? plan, fees, freedFrom };
    const about = { datasetId, location: base, dryRun: values.dryRun };
    const document = { ...about, ...resultDocument(done), durationMs, requests: opened.requests };
    context.result(document, () => outcomeText(done, values.dryRun));
    return (outcome?.failed.length ?? 0) > 0 ? 3 : 0;
  } finally {
    opened.close();
  }
}

/** Nobody is there to answer: told before anything is read. */
function refuseUnasked({ dryRun, force, yes }: DatasetPruneValues, context: Context): void {
  if (dryRun || force || yes || (context.stdin.isTTY === true && context.stderr.isTTY === true)) return;
  throw usageError(
    'pruning deletes for good and there is no terminal to ask on',
    'add --dry-run to see what would go, or --yes to do it',
  );
}

function planOptions(values: DatasetPruneValues, datasetId: string, context: Context) {
  const { keepLast: last, keepDaily, keepWeekly, keepMonthly, keepYearly } = values;
  return {
    datasetId,
    keep: { last, daily: keepDaily, weekly: keepWeekly, monthly: keepMonthly, yearly: keepYearly },
    abandonedAfterMs: values.abandonedAfter,
    graceMs: values.instant ? 0 : values.grace,
    now: context.now(),
    signal: context.signal,
  };
}

const feesOf = (plan: PrunePlan, { region }: OpenedStore, context: Context): EarlyDeletion =>
  earlyDeletion([...plan.marked.flatMap(({ objects }) => objects), ...plan.sweep.objects], {
    region,
    now: context.now(),
  });

interface Job {
  readonly plan: PrunePlan;
  readonly fees: EarlyDeletion;
  readonly freedFrom: Date | undefined;
  readonly options: ReturnType<typeof planOptions>;
  readonly opened: OpenedStore;
}

/** Undefined when nothing was to be done, or only shown. */
async function carryOut(
  { dryRun, force }: DatasetPruneValues,
  { plan, fees, freedFrom, options, opened }: Job,
  context: Context,
): Promise<PruneOutcome | undefined> {
  if (dryRun || !hasWork(plan)) return undefined;
  context.note(planText(plan, fees, freedFrom));
  if (!force && !(await context.confirm('Delete this for good?')))
    throw usageError('nothing was pruned: the answer was no');
  return await prune(opened.store, { ...options, plan, randomBytes, onStep: (text) => context.note(text) });
}

function resultDocument({ outcome, plan, fees, freedFrom }: PruneReport): Record<string, unknown> {
  const marked = plan.marked.flatMap(({ objects }) => objects);
  const due = freedFrom === undefined ? [...plan.sweep.objects, ...marked] : plan.sweep.objects;
  const { waiting } = plan.sweep;
  return {
    retired: plan.retired.map(versionDocument),
    kept: plan.kept.map(versionDocument),
    compacted: plan.compacted.map(({ record }) => record.version),
    abandonedUploads: plan.marked.flatMap(({ uploadId, reason }) => (reason === 'abandoned' ? [uploadId] : [])),
    marked: { objects: marked.length, bytes: bytesOf(marked), freedFrom: freedFrom?.toISOString() ?? null },
    waiting: { objects: waiting.objects, bytes: waiting.bytes, freedFrom: waiting.until?.toISOString() ?? null },
    deletedObjects: outcome?.deletedObjects ?? due.length,
    freedBytes: outcome?.freedBytes ?? bytesOf(due),
    failed: outcome?.failed ?? [],
    earlyDeletion: fees,
    warnings: plan.warnings,
  };
}

const bytesOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const versionDocument = ({ record }: ReadRecord) => ({
  version: record.version,
  uploadId: record.uploadId,
  createdAt: record.createdAt,
  files: record.totals.files,
  bytes: record.totals.bytes,
});

// `archiver dataset prune`: plan, show, ask, carry out.
import { randomBytes } from 'node:crypto';
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/errors.js';
import { earlyDeletion, type EarlyDeletion } from '../../core/cost/early-deletion.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { planPrune, type PrunePlan } from '../../core/dataset/prune/plan-prune.js';
import { hasWork, prune, type PruneOutcome } from '../../core/dataset/prune/prune.js';
import type { ReadRecord } from '../../core/dataset/versions.js';
import { readOnly } from '../../core/object-store/read-only.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import { printable } from '../../core/raw-path.js';
import { openForReading } from '../inspect/upload-target.js';
import { datasetBase } from './dataset-base.js';
import type { DatasetPruneValues } from './prune.js';
import { outcomeText, planText } from './prune-text.js';

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
    const outcome = await carryOut(values, { plan, fees, options, opened }, context);
    const durationMs = context.now().getTime() - startedAt;
    const done = { outcome, plan: outcome?.plan ?? plan, fees };
    const about = { datasetId, location: base, dryRun: values.dryRun };
    const document = { ...about, ...resultDocument(done), durationMs, requests: opened.requests };
    context.result(document, () => outcomeText(done.plan, done.fees, outcome, values.dryRun));
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
    now: context.now(),
    signal: context.signal,
  };
}

const feesOf = (plan: PrunePlan, { region }: OpenedStore, context: Context): EarlyDeletion =>
  earlyDeletion(plan.chunks, { region, now: context.now() });

interface Job {
  readonly plan: PrunePlan;
  readonly fees: EarlyDeletion;
  readonly options: ReturnType<typeof planOptions>;
  readonly opened: OpenedStore;
}

/** Undefined when nothing was to be done, or only shown. */
async function carryOut(
  { dryRun, force }: DatasetPruneValues,
  { plan, fees, options, opened }: Job,
  context: Context,
): Promise<PruneOutcome | undefined> {
  if (dryRun || !hasWork(plan)) return undefined;
  context.note(planText(plan, fees));
  if (!force && !(await context.confirm('Delete this for good?')))
    throw usageError('nothing was pruned: the answer was no');
  return await prune(opened.store, { ...options, plan, randomBytes, onStep: (text) => context.note(text) });
}

interface Done {
  readonly outcome: PruneOutcome | undefined;
  readonly plan: PrunePlan;
  readonly fees: EarlyDeletion;
}

function resultDocument({ outcome, plan, fees }: Done): Record<string, unknown> {
  const all = [...plan.records, ...plan.manifests, ...plan.chunks, ...plan.leftovers];
  return {
    removed: plan.removed.map(versionDocument),
    kept: plan.kept.map(versionDocument),
    compacted: plan.compacted.map(({ record }) => record.version),
    abandonedUploads: plan.abandoned.map(({ uploadId }) => uploadId),
    deletedObjects: outcome?.deletedObjects ?? all.length,
    freedBytes: outcome?.freedBytes ?? all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    failed: outcome?.failed ?? [],
    earlyDeletion: fees,
    warnings: plan.warnings,
  };
}

const versionDocument = ({ record }: ReadRecord) => ({
  version: record.version,
  uploadId: record.uploadId,
  createdAt: record.createdAt,
  files: record.totals.files,
  bytes: record.totals.bytes,
});

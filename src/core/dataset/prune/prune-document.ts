// A prune as data for programs: what was found, planned and done.
import type { EarlyDeletion } from '../../cost/early-deletion.js';
import { roundedUsd } from '../../cost/money.js';
import type { ReadRecord } from '../records/versions.js';
import type { PrunePlan } from './plan-prune.js';
import type { UnfinishedMultipart } from '../../object-store/object-store.js';
import { failureDocument } from '../../object-store/failure-document.js';
import { unfinishedBytes } from '../../object-store/unfinished-bytes.js';
import type { UnfinishedHidden } from '../../object-store/unfinished-hidden.js';
import type { PruneOutcome } from './prune.js';
import { isSameVersion } from '../records/version-name.js';
import { defined } from '../../defined.js';

export interface PruneReport {
  readonly plan: PrunePlan;
  readonly fees: EarlyDeletion;
  /** Missing when nothing was done. */
  readonly outcome: PruneOutcome | undefined;
  /** Writes that were killed long ago, and are removed. */
  readonly dead: readonly UnfinishedMultipart[];
  /** Why there may be others; null where all were seen. */
  readonly unfinishedHidden: UnfinishedHidden | null;
  /** When what is marked can be deleted; undefined: at once. */
  readonly freedFrom: Date | undefined;
  /** The bucket has Object Lock, and so keeps older versions: what is deleted is hidden, and stored on. */
  readonly keepsVersions: boolean;
}

/** The keys of the document; of all datasets, `datasets` has one each. Sizes are bytes; without an outcome they are what a prune would delete. */
export function pruneDocument(
  { outcome, plan, fees, freedFrom, dead, unfinishedHidden, keepsVersions }: PruneReport,
  isAll: boolean,
): Readonly<Record<string, unknown>> {
  const [first = ''] = plan.datasetIds;
  const marked = plan.marked.flatMap(({ objects }) => objects);
  const free = marked.filter(({ key }) => !plan.held.keys.has(key));
  const due = freedFrom === undefined ? [...plan.sweep.objects, ...free] : plan.sweep.objects;
  return {
    ...(isAll ? { datasets: plan.datasetIds.map((id) => datasetDocument(plan, id)) } : datasetDocument(plan, first)),
    abandonedUploads: plan.marked.flatMap(({ uploadId, reason }) => (reason === 'abandoned' ? [uploadId] : [])),
    marked: { objects: marked.length, bytes: sumOf(marked), freedFrom: freedFrom?.toISOString() ?? null },
    waiting: amountUntil(plan.sweep.waiting),
    locked: amountUntil(plan.held),
    deletedObjects: outcome?.deletedObjects ?? due.length,
    deletedBytes: outcome?.freedBytes ?? sumOf(due),
    keepsVersions,
    unfinishedWrites: unfinishedHidden === null ? { objects: dead.length, bytes: unfinishedBytes(dead) } : null,
    unfinishedHidden,
    failed: (outcome?.failed ?? []).map(failureDocument),
    earlyDeletion: feesDocument(fees),
    warnings: plan.warnings.map((message) => ({ message })),
  };
}

const feesDocument = ({ byClass, costUsd, ...fees }: EarlyDeletion): EarlyDeletion => ({
  ...fees,
  costUsd: roundedUsd(costUsd),
  byClass: byClass.map((own) => ({ ...own, costUsd: roundedUsd(own.costUsd) })),
});

const amountUntil = ({ objects, bytes, until }: PrunePlan['sweep']['waiting']): object => ({
  objects,
  bytes,
  freedFrom: until?.toISOString() ?? null,
});

function datasetDocument(
  { retired, kept, compacted, dependent, doubts }: PrunePlan,
  datasetId: string,
): Record<string, unknown> {
  const isIts = ({ record }: ReadRecord): boolean => record.datasetId === datasetId;
  return {
    datasetId,
    retired: retired.filter(isIts).map((found) => versionDocument(found, doubts)),
    kept: kept.filter(isIts).map((found) => ({ ...versionDocument(found, doubts), reasons: found.reasons })),
    compacted: compacted.filter(isIts).map(({ record }) => record.version),
    dependent: dependent.filter(isIts).map(({ record }) => record.version),
  };
}

const sumOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const versionDocument = ({ record }: ReadRecord, doubts: PrunePlan['doubts']) => ({
  version: record.version,
  ...defined({ fork: record.fork }),
  uploadId: record.uploadId,
  createdAt: record.createdAt,
  files: record.totals.files,
  bytes: record.totals.bytes,
  doubts:
    doubts.find(({ datasetId, ...name }) => datasetId === record.datasetId && isSameVersion(name, record))?.texts ?? [],
});

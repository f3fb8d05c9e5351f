// The result of a prune as data for programs: what was found, planned and done.
import { failureDocument } from '../../store/failure-document.js';
import type { DeleteFailure } from '../../store/object-store.js';
import { unfinishedBytes } from '../../store/unfinished-bytes.js';
import type { UnfinishedHidden } from '../../store/unfinished-hidden.js';
import { type VersionDocument, versionDocument } from '../records/version-document.js';
import { isSameVersion } from '../records/version-name.js';
import type { ReadRecord } from '../records/versions.js';
import type { PrunePlan } from './plan-prune.js';
import type { PruneRun } from './run-prune.js';

/** A version of a dataset that is pruned. */
export interface PrunedVersion extends VersionDocument {
  /** Sentences that say why it may not be your own version. */
  readonly doubts: readonly string[];
}

export interface PrunedDataset {
  readonly datasetId: string;
  readonly retired: readonly PrunedVersion[];
  /** `reasons` are the names of rules, `latest`, and `tag <name>`. */
  readonly kept: readonly (PrunedVersion & { readonly reasons: readonly string[] })[];
  /** Ordinals of kept versions that were rewritten to be complete, because they built on retired ones. */
  readonly compacted: readonly number[];
  /** Ordinals of kept versions that could not be rewritten, and keep objects of retired ones. */
  readonly dependent: readonly number[];
}

interface Amount {
  readonly objects: number;
  readonly bytes: number;
}

/** Objects that stay for now, and the time (ISO 8601) from which they can be deleted; null: at once, or nothing stays. */
interface AmountUntil extends Amount {
  readonly freedFrom: string | null;
}

/** Without an outcome, amounts state what a prune would delete. */
export interface PruneDocument {
  readonly abandonedUploads: readonly string[];
  /** Objects that nothing needs any more, as found now. */
  readonly marked: AmountUntil;
  /** Objects that were marked before and are not old enough. */
  readonly waiting: AmountUntil;
  /** Unneeded objects that Object Lock keeps. */
  readonly locked: AmountUntil;
  readonly deletedObjects: number;
  readonly deletedBytes: number;
  /** Records of checks that go: of versions that are gone, and the oldest ones. */
  readonly oldCheckCount: number;
  readonly keepsVersions: boolean;
  /** Writes that were abandoned long ago; null when they cannot be listed. */
  readonly unfinishedWrites: Amount | null;
  readonly unfinishedHidden: UnfinishedHidden | null;
  readonly failed: readonly Omit<DeleteFailure, 'isRefused' | 'retriable'>[];
  readonly warnings: readonly { readonly message: string }[];
}

/** The keys of the document; for all datasets, `datasets` has one element each. */
export function pruneDocument(report: PruneRun, isAll: boolean) {
  const [first] = datasetDocuments(report);
  return { ...(isAll ? { datasets: datasetDocuments(report) } : first), ...commonDocument(report) };
}

/** One document for each pruned dataset. */
export const datasetDocuments = ({ plan }: Pick<PruneRun, 'plan'>): readonly PrunedDataset[] =>
  plan.datasetIds.map((id) => datasetDocument(plan, id));

/** The part that covers all datasets together. */
export function commonDocument({
  outcome,
  plan,
  freedFrom,
  dead,
  unfinishedHidden,
  keepsVersions,
}: PruneRun): PruneDocument {
  const marked = plan.marked.flatMap(({ objects }) => objects);
  const free = marked.filter(({ key }) => !plan.held.keys.has(key));
  const due = freedFrom === undefined ? [...plan.sweep.objects, ...free] : plan.sweep.objects;
  return {
    abandonedUploads: plan.marked.flatMap(({ uploadId, reason }) => (reason === 'abandoned' ? [uploadId] : [])),
    marked: { objects: marked.length, bytes: sumOf(marked), freedFrom: freedFrom?.toISOString() ?? null },
    waiting: amountUntil(plan.sweep.waiting),
    locked: amountUntil(plan.held),
    deletedObjects: outcome?.deletedObjects ?? due.length,
    deletedBytes: outcome?.freedBytes ?? sumOf(due),
    oldCheckCount: plan.oldChecks.length,
    keepsVersions,
    unfinishedWrites: unfinishedHidden === null ? { objects: dead.length, bytes: unfinishedBytes(dead) } : null,
    unfinishedHidden,
    failed: (outcome?.failed ?? []).map(failureDocument),
    warnings: plan.warnings.map((message) => ({ message })),
  };
}

const amountUntil = ({ objects, bytes, until }: PrunePlan['sweep']['waiting']): AmountUntil => ({
  objects,
  bytes,
  freedFrom: until?.toISOString() ?? null,
});

function datasetDocument({ retired, kept, compacted, dependent, doubts }: PrunePlan, datasetId: string): PrunedDataset {
  const isIts = ({ record }: ReadRecord): boolean => record.datasetId === datasetId;
  return {
    datasetId,
    retired: retired.filter(isIts).map((found) => prunedDocument(found, doubts)),
    kept: kept.filter(isIts).map((found) => ({ ...prunedDocument(found, doubts), reasons: found.reasons })),
    compacted: compacted.filter(isIts).map(({ record }) => record.version),
    dependent: dependent.filter(isIts).map(({ record }) => record.version),
  };
}

const sumOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const prunedDocument = ({ record }: ReadRecord, doubts: PrunePlan['doubts']): PrunedVersion => ({
  ...versionDocument(record),
  doubts:
    doubts.find(({ datasetId, ...name }) => datasetId === record.datasetId && isSameVersion(name, record))?.texts ?? [],
});

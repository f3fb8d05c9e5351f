// Retires old versions.
import { writableStore } from '../core/store/create-once/create-once.js';
import { Compactions } from '../core/dataset/prune/compactions.js';
import { commonDocument, datasetDocuments } from '../core/dataset/prune/prune-document.js';
import { carryOut, planRun } from '../core/dataset/prune/run-prune.js';
import { findDataset } from '../core/dataset/records/find-dataset.js';
import { DEFAULT_GRACE_MS } from '../core/dataset/records/undelete-hint.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { CallOptions, Store } from './options.js';
import { call } from './session.js';

const HOUR_MS = 3_600_000;
const ABANDONED_AFTER_MS = 7 * 24 * HOUR_MS;

export interface PruneOptions extends CallOptions {
  /** Its whole ID, or its name if no other dataset has it; or use `allDatasets`. */
  readonly dataset?: string | undefined;
  /** Every dataset of the store, each by the same rules. */
  readonly allDatasets?: boolean | undefined;
  /** Rules for versions to keep: a version that any of them keeps stays, as do the newest version and tagged ones. */
  readonly keep: KeepRules;
  /** Milliseconds since objects were marked, after which they are deleted; 24 hours when not given, at least 2. */
  readonly graceMs?: number | undefined;
  /** Deletes at once, without a grace: only when nothing else writes to or reads from the store meanwhile. */
  readonly instant?: boolean | undefined;
  /** Milliseconds since the last write, after which uploads that never became a version are removed; 7 days when not given. */
  readonly abandonedAfterMs?: number | undefined;
  /** States that nobody else writes to the store now: manifests are rewritten even on a store without conditional creation. */
  readonly exclusive?: boolean | undefined;
  /** Prunes even when the kept versions have less than half of the files or bytes of the retired ones, or nothing. */
  readonly allowMassDelete?: boolean | undefined;
  /** Reports what would be removed, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Rules: a version that any of them keeps stays. Hours, days, weeks, months and years are UTC. */
export interface KeepRules {
  /** Number of newest versions to keep; at least 1. */
  readonly last: number;
  /** Keeps every version that was made, or stored, at most this many milliseconds before the newest one. */
  readonly withinMs?: number | undefined;
  /** Keeps the newest version of each of the last so many hours (days, …) that have one. */
  readonly hourly?: number | undefined;
  readonly daily?: number | undefined;
  /** Weeks begin on Monday. */
  readonly weekly?: number | undefined;
  readonly monthly?: number | undefined;
  readonly yearly?: number | undefined;
}

export interface PrunedVersion {
  readonly version: number;
  readonly fork?: string | undefined;
  readonly uploadId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
  /** Sentences that say why it may not be your own version. */
  readonly doubts: readonly string[];
}

export interface PrunedDataset {
  readonly datasetId: string;
  readonly retired: readonly PrunedVersion[];
  /** `reasons` are the names of rules, `latest`, and `tag <name>`. */
  readonly kept: readonly (PrunedVersion & { readonly reasons: readonly string[] })[];
  /** Numbers of kept versions that were rewritten to be complete, because they built on retired ones. */
  readonly compacted: readonly number[];
  /** Numbers of kept versions that could not be rewritten, and keep objects of retired ones. */
  readonly dependent: readonly number[];
}

/** `freedFrom`: the time (ISO 8601) from which all of it can be deleted; null: at once, or there is nothing. */
export interface PrunedAmount {
  readonly objects: number;
  readonly bytes: number;
  readonly freedFrom: string | null;
}

/** Result of a prune. Sizes are bytes; in a dry run, of what would be deleted. */
export interface PruneResult {
  readonly dryRun: boolean;
  readonly datasets: readonly PrunedDataset[];
  /** IDs of uploads that never became a version. */
  readonly abandonedUploads: readonly string[];
  /** Objects that nothing needs any more: found now; found before and not old enough; kept by Object Lock. */
  readonly marked: PrunedAmount;
  readonly waiting: PrunedAmount;
  readonly locked: PrunedAmount;
  readonly deletedObjects: number;
  readonly deletedBytes: number;
  /** True when the bucket keeps older versions of objects: deleted objects are hidden but still stored. */
  readonly keepsVersions: boolean;
  /** Objects that could not be deleted. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

/**
 * Retires the versions that no rule keeps, for good, and marks objects that no kept version needs; a later prune deletes those, once the
 * mark is old enough. There is no confirmation: use `dryRun` first to see what would be removed. When interrupted, every kept version stays
 * readable, and the same call finishes the work.
 * @throws ArchiverError `usage`, also for invalid rules, `not-found`, `mass-delete`, `integrity` when a version cannot be read, `conflict`,
 * `cancelled` and errors of the store; then nothing was deleted that a version needs
 */
export async function prune(store: Store, options: PruneOptions): Promise<PruneResult> {
  const {
    dataset,
    allDatasets = false,
    keep,
    graceMs = DEFAULT_GRACE_MS,
    abandonedAfterMs = ABANDONED_AFTER_MS,
  } = options;
  const { instant = false, exclusive = false, allowMassDelete = false, dryRun = false } = options;
  if ((dataset !== undefined) === allDatasets) throw usageError('name a dataset, or say allDatasets');
  return await call(store, options, async ({ opened, home, host, now, emit, signal, warn, warnings }) => {
    emit({ type: 'start', operation: 'prune', source: store.url, target: '' });
    const writing = { isExclusive: exclusive || instant, dryRun };
    const writable = await writableStore(opened, { home, host, now, signal, warn }, writing);
    const found =
      dataset === undefined
        ? undefined
        : await findDataset(writable.store, dataset, { takesBeginnings: false, warn, signal });
    const request = {
      datasetId: found?.datasetId,
      keep,
      abandonedAfterMs,
      graceMs: instant ? 0 : graceMs,
      allowMassDelete,
      compactions: new Compactions(),
      dryRun,
      emit,
      signal,
    };
    const run = await carryOut(writable, await planRun(writable, request), request);
    for (const text of run.warnings) warn(text);
    const { unfinishedHidden: _, unfinishedWrites: _writes, ...common } = commonDocument(run);
    return { ...common, dryRun, datasets: datasetDocuments(run), warnings };
  });
}

// Retiring old versions.
import { writableStore } from '../core/store/create-once/create-once.js';
import { commonDocument, datasetDocuments } from '../core/dataset/prune/prune-document.js';
import { runPrune } from '../core/dataset/prune/run-prune.js';
import { findDataset } from '../core/dataset/records/find-dataset.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { CallOptions, Store } from './options.js';
import { call } from './session.js';

const HOUR_MS = 3_600_000;
const GRACE_MS = 24 * HOUR_MS;
const ABANDONED_AFTER_MS = 7 * 24 * HOUR_MS;

export interface PruneOptions extends CallOptions {
  /** Its whole id, or its name where no other has it; or `allDatasets`. */
  readonly dataset?: string | undefined;
  /** Every dataset of the store, each by the same rules. */
  readonly allDatasets?: boolean | undefined;
  /** What any of them keeps stays, the newest version in any case, and what is tagged. */
  readonly keep: KeepRules;
  /** Milliseconds: what was marked at least so long ago is deleted; 24 hours when not given, at least 2. */
  readonly graceMs?: number | undefined;
  /** Deletes at once, without a grace: only where nothing else writes to or reads from the store meanwhile. */
  readonly instant?: boolean | undefined;
  /** Milliseconds: uploads that never became a version go when nothing was written to them for so long; 7 days when not given. */
  readonly abandonedAfterMs?: number | undefined;
  /** Nobody else writes there now: manifests are rewritten also where the store creates no key only once. */
  readonly exclusive?: boolean | undefined;
  /** Also where what is kept holds less than half of the files or bytes of what would be retired, or nothing. */
  readonly allowMassDelete?: boolean | undefined;
  /** Says what would go, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** A version stays that any of them keeps. Hours, days, weeks, months and years are UTC. */
export interface KeepRules {
  /** This many of the newest; at least 1. */
  readonly last: number;
  /** Milliseconds: whatever was made, or stored, at most so long before the newest version. */
  readonly withinMs?: number | undefined;
  /** The newest version of each of the last so many hours (days, …) that have one. */
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
  /** Why it may be none of yours; in sentences. */
  readonly doubts: readonly string[];
}

export interface PrunedDataset {
  readonly datasetId: string;
  readonly retired: readonly PrunedVersion[];
  /** `reasons` are the names of rules, `latest`, and `tag <name>`. */
  readonly kept: readonly (PrunedVersion & { readonly reasons: readonly string[] })[];
  /** Numbers of kept versions that were rewritten to be complete, as they built on retired ones. */
  readonly compacted: readonly number[];
  /** Of those that could not be rewritten, and keep what retired ones hold. */
  readonly dependent: readonly number[];
}

/** `freedFrom`: the moment (ISO 8601) from which all of it can be deleted; null: at once, or there is nothing. */
export interface PrunedAmount {
  readonly objects: number;
  readonly bytes: number;
  readonly freedFrom: string | null;
}

/** Sizes are bytes; of a dry run they are what would be deleted. */
export interface PruneResult {
  readonly dryRun: boolean;
  readonly datasets: readonly PrunedDataset[];
  /** Ids of uploads that never became a version. */
  readonly abandonedUploads: readonly string[];
  /** What nothing needs any more, as was found now; what was found before and is not old enough; what Object Lock keeps. */
  readonly marked: PrunedAmount;
  readonly waiting: PrunedAmount;
  readonly locked: PrunedAmount;
  readonly deletedObjects: number;
  readonly deletedBytes: number;
  /** The bucket keeps older versions of objects: what is deleted is hidden, and stored on. */
  readonly keepsVersions: boolean;
  /** What could not be deleted. */
  readonly failed: readonly { readonly key: string; readonly reason: string }[];
  readonly warnings: readonly string[];
}

/**
 * Retires the versions that no rule keeps, for good, and marks what no kept version needs; a later prune deletes that, once the
 * mark is old enough. Nobody is asked: `dryRun` says before what would go. Interrupted, every kept version stays readable, and
 * the same call finishes.
 * @throws ArchiverError `usage`, also for rules that are none, `not-found`, `mass-delete`, `integrity` where a version cannot be
 * read, `conflict`, `cancelled` and what a store says; then nothing was deleted that a version needs
 */
export async function prune(store: Store, options: PruneOptions): Promise<PruneResult> {
  const { dataset, allDatasets = false, keep, graceMs = GRACE_MS, abandonedAfterMs = ABANDONED_AFTER_MS } = options;
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
    const run = await runPrune(writable, {
      datasetId: found?.datasetId,
      keep,
      abandonedAfterMs,
      graceMs: instant ? 0 : graceMs,
      allowMassDelete,
      dryRun,
      emit,
      signal,
    });
    for (const text of run.warnings) warn(text);
    const { unfinishedHidden: _, unfinishedWrites: _writes, ...common } = commonDocument(run);
    return { ...common, dryRun, datasets: datasetDocuments(run), warnings };
  });
}

// The only place where versions are made: reuses what is stored already, marks twins, plans, packs and sends chunks, and commits the
// manifest. Full uploads, resumed ones and those of changes differ only in their manifest.
import type { Totals } from '../format/manifest/manifest-types.js';
import type { Commitment, Ordinal, Stale } from './commit/commitment.js';
import { rememberScan } from './run/same-scan.js';
import { referred } from './commit/commit-checks.js';
import { type CommitInput, commitUpload, rememberHead } from './commit/commit-upload.js';
import { markTwins, type TwinInput } from './dedup/dedup.js';
import { markUnneeded } from './mark-unneeded.js';
import { HeadStart } from './pack/head-start.js';
import { checkNonePending, type PendingTotals, pendingTotals } from './plan/pending-rows.js';
import { amountsIn, plannedAmounts } from './plan/planned-amounts.js';
import { planUpload, type UploadPlan } from './plan/plan-upload.js';
import { adoptSent } from './resumed/adopt-sent.js';
import type { UploadRun } from './run/upload-run.js';
import { transferAll, type TransferHooks, type TransferInput } from './transfer/transfer.js';
import { defined } from '../platform/defined.js';

/** How the manifest of a version is made. */
export interface ManifestStrategy<Made = Commitment> {
  readonly hooks: TransferHooks;
  /** The version has no path that the scan has not. */
  readonly hasScannedOnly?: boolean;
  /** Plans what cannot be planned from rows, as `planUpload` does. */
  readonly plan?: (pending: PendingTotals) => UploadPlan;
  /** Called when it is known what is left to be packed; returns the totals to report. */
  readonly onPending?: (pending: PendingTotals) => PendingTotals;
  /**
   * Called when everything is packed. Returns a function that gives the manifest, which may be in the making already; undefined when there
   * is nothing to mention.
   */
  list(plan: UploadPlan): (() => Promise<Made>) | undefined;
}

/** `planned`: a dry run. `nothing`: there is nothing to mention. `taken`, `stale`: as the commit says. */
export type VersionOutcome =
  | { readonly state: 'planned' | 'nothing' | 'taken'; readonly plan: UploadPlan }
  | { readonly state: 'stale'; readonly stale: Stale }
  | {
      readonly state: 'committed';
      readonly plan: UploadPlan;
      readonly version: number;
      readonly fork?: string;
      readonly totals: Totals;
    };

type VersionInput = TwinInput &
  TransferInput &
  CommitInput &
  Pick<
    UploadRun,
    | 'dryRun'
    | 'objects'
    | 'uploadGate'
    | 'also'
    | 'manifestCheck'
    | 'refuseUnsupportedClasses'
    | 'ledger'
    | 'store'
    | 'region'
    | 'isAws'
    | 'runBy'
    | 'notWhole'
  >;

/** What was packed and sent, and its manifest. `planned`, `nothing`: as of a version. */
export type PackOutcome<Made> =
  | { readonly state: 'planned' | 'nothing'; readonly plan: UploadPlan }
  | { readonly state: 'packed'; readonly plan: UploadPlan; readonly made: Made };

/** Packs and sends what is pending, with what is `started` already. @throws as `archiveFolder` does */
export async function packVersion<Made>(
  run: Omit<VersionInput, 'notWhole' | 'manifestCheck'>,
  strategy: ManifestStrategy<Made>,
  started?: HeadStart,
): Promise<PackOutcome<Made>> {
  const { table } = run.ledger;
  adoptSent(run);
  await markTwins(run);
  const begun = started?.take(run.layout.storageClass) ?? [];
  const tasks = begun.map(({ task }) => task);
  const pending = pendingTotals(table, run.scanned.shares, tasks);
  const known = strategy.onPending?.(pending) ?? pending;
  const plan = strategy.plan?.(known) ?? planUpload(run, known, begun);
  await run.objects?.mayRead(plan.lanes, table);
  if (run.dryRun) return { state: 'planned', plan };
  if (run.uploadGate !== undefined) await run.uploadGate(plannedAmounts(run, plan));
  await run.also?.mayBegin({ ...run, amountsIn: amountsIn(run, plan) });
  await run.refuseUnsupportedClasses(plan.lanes.flat().map(({ storageClass }) => storageClass));
  await run.encryption.sealer?.prepare(); // missing permission to encrypt is noticed before anything is sent
  if (pending.entries > 0) await packAll(run, plan, strategy.hooks, started);
  checkNonePending(table);
  const compose = strategy.list(plan);
  if (compose === undefined) return { state: 'nothing', plan };
  const { emit, uploadId } = run;
  emit({ type: 'phase', phase: 'committing' });
  emit({ type: 'step', step: 'manifest', uploadId });
  return { state: 'packed', plan, made: await compose() };
}

/** Makes a version of what is pending, with what is `started` already. @throws as `archiveFolder` does */
export async function makeVersion(
  run: VersionInput,
  strategy: ManifestStrategy,
  ordinal: Ordinal,
  started?: HeadStart,
): Promise<VersionOutcome> {
  const packed = await packVersion(run, strategy, started);
  if (packed.state !== 'packed') return packed;
  const { plan, made: commitment } = packed;
  await run.manifestCheck?.(commitment.encoded, run.uploadId);
  run.emit({ type: 'step', step: 'commit', uploadId: run.uploadId });
  const committed = await commitUpload(run, commitment, ordinal);
  if (committed === 'taken') return { state: 'taken', plan };
  if ('why' in committed) return { state: 'stale', stale: committed };
  await rememberHead(run, commitment, committed);
  if (strategy.hasScannedOnly === true) await rememberScan(run, commitment.encoded.sha256, 0);
  await markUnneeded(run, referred(commitment));
  const { version, fork } = committed;
  return { state: 'committed', plan, version, ...defined({ fork }), totals: commitment.totals };
}

async function packAll(
  run: TransferInput,
  plan: UploadPlan,
  hooks: TransferHooks,
  started: HeadStart | undefined,
): Promise<void> {
  const threads = started ?? new HeadStart(run.packing.workers);
  try {
    await transferAll(run, plan, threads.pool, hooks);
  } finally {
    await threads.close();
  }
}

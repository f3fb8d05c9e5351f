// The result of an upload.
import type { Deduplicated, VersionRecord, UploadId } from '../manifest/manifest-types.js';
import type { RequestCounts } from '../object-store/object-store.js';
import type { ChangeCounts } from './changes/change-counts.js';
import { deduplicatedTotals } from './dedup/dedup-totals.js';
import type { UploadRun } from './upload-run.js';
import { plannedObjects } from './plan/direct-plan.js';
import type { UploadPlan } from './plan/plan-upload.js';
import { shownSkip } from './scan/skip.js';
import { manifestKeyOf, uploadUrlOf } from '../manifest/upload-id.js';

export interface UploadResult {
  readonly uploadId: UploadId;
  readonly location: string;
  readonly manifestKey: string;
  readonly datasetId: string;
  /** Ordinal of the version; null when nothing was written (dry run). */
  readonly version: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly shards: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Something that should be in the archive is missing or torn. */
  readonly partial: boolean;
  readonly durationMs: number;
  readonly requests: RequestCounts;
  /** Of an upload of changes. */
  readonly changes?: Readonly<ChangeCounts> & { readonly noChanges: boolean };
  /** Of one that was to go directly: files that are objects of their own. */
  readonly directFiles?: number;
  /** Of one that stores the content of equal files once: what that saved. */
  readonly deduplicated?: Deduplicated;
}

type Sums = Pick<UploadResult, 'version' | 'files' | 'bytes' | 'storedBytes' | 'chunks' | 'shards' | 'changes'>;

export type ResultInput = Pick<
  UploadRun,
  'uploadId' | 'datasetId' | 'store' | 'requests' | 'scanned' | 'ledger' | 'packing' | 'layout' | 'startedMs'
>;

/** The result for a version that this upload made, or that `uploadId` is. */
export function versionResult(run: ResultInput, sums: Sums, uploadId = run.uploadId): UploadResult {
  const { scanned, ledger, packing, layout } = run;
  const skipped = [...scanned.skipped, ...ledger.skipped];
  return {
    uploadId,
    location: uploadUrlOf(run.store.url, uploadId),
    manifestKey: manifestKeyOf(uploadId),
    datasetId: run.datasetId,
    skipped: skipped.map(shownSkip),
    partial: skipped.some((skip) => !skip.special),
    durationMs: Math.round(performance.now() - run.startedMs),
    requests: { ...run.requests },
    ...(packing.dedup ? { deduplicated: deduplicatedTotals(ledger.table) } : {}),
    ...(layout.direct === undefined
      ? {}
      : { directFiles: ledger.chunks().filter(({ content }) => content === 'file').length }),
    ...sums,
  };
}

/** Nothing was written. */
export function dryRunResult(run: ResultInput, plan: UploadPlan, changes?: UploadResult['changes']): UploadResult {
  const { files, bytes } = run.scanned;
  const chunks = plannedObjects(plan.lanes);
  const part = changes === undefined ? {} : { changes };
  return versionResult(run, { version: null, files, bytes, storedBytes: 0, chunks, shards: plan.shards, ...part });
}

/** An earlier run had committed it as this version. */
export function committedResult(run: ResultInput, { uploadId, version, totals }: VersionRecord): UploadResult {
  const { files, bytes, storedBytes, chunks } = totals;
  return versionResult(run, { version, files, bytes, storedBytes, chunks, shards: 0 }, uploadId);
}

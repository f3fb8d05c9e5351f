// The result of an upload.
import type { Deduplicated, VersionRecord } from '../format/manifest/manifest-types.js';
import type { RequestCounts } from '../store/object-store.js';
import type { ChangeCounts, ComparedWith } from './run/change-counts.js';
import { deduplicatedTotals } from './dedup/dedup-totals.js';
import type { UploadRun } from './run/upload-run.js';
import type { EarlierKeys } from './run/upload-encryption.js';
import type { StoredObject } from '../cost/stored-object.js';
import type { UploadPlace } from '../cost/upload-cost.js';
import { plannedObjects } from './plan/direct-plan.js';
import { type PlannedInput, type PlannedUpload, plannedUpload } from './plan/planned-upload.js';
import type { PendingTotals } from './plan/pending-rows.js';
import type { UploadPlan } from './plan/plan-upload.js';
import { type DvcContents, dvcContentsOf } from './scan/dvc-result.js';
import { defined } from '../platform/defined.js';
import { isScanned } from './scan/is-scanned.js';
import { shownSkip } from './scan/skip.js';
import type { RawPath } from '../platform/paths/raw-path.js';
import { manifestKeyOf, uploadUrlOf, type UploadId } from '../store/ids/upload-id.js';

export interface UploadResult extends EarlierKeys {
  readonly uploadId: UploadId;
  readonly location: string;
  readonly manifestKey: string;
  readonly datasetId: string;
  /** Ordinal of the version; null when nothing was written (dry run). */
  readonly version: number | null;
  /** Its letters, if other writers made the same ordinal at the same time (dataset/records/version-name.ts). */
  readonly fork?: string;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly shards: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** True if something that should be in the archive is missing or torn. */
  readonly partial: boolean;
  readonly durationMs: number;
  readonly requests: RequestCounts;
  /** Set for an upload of changes. */
  readonly changes?: Readonly<ChangeCounts> & {
    readonly noChanges: boolean;
    readonly comparedWith: ComparedWith;
  };
  readonly measured: Measured;
  /** Set for a direct upload: number of files that are objects of their own. */
  readonly directFiles?: number;
  /** Set for an upload that deduplicates: what that saved. */
  readonly deduplicated?: Deduplicated;
  /** Billed objects and place; not set in a dry run. */
  readonly billed?: Billed;
  /** Set if the source has something of DVC: what became of it. */
  readonly dvcContents?: DvcContents;
  /** Set in a dry run. */
  readonly planned?: PlannedUpload;
  readonly destination?: Destination;
}

/** What was seen of the source on the way. */
export interface Measured {
  /** Files in the folder, also those that could not be read or changed too lately. */
  readonly files: number;
  /** Their size; undefined when that of some is not known. */
  readonly bytes: number | undefined;
  /** Files of which the content was packed, and their size. */
  readonly packed: PendingTotals;
  /** New files that are called like one that was there, with something after a further dot. */
  readonly suffixed: number;
  /** Everything was sent because the record of the newest version is another one than this computer remembers, as after a prune. */
  readonly isRewritten: boolean;
  /** Whether this upload has seen a path; the version may have more, from the version before. */
  readonly isScanned?: (path: RawPath) => boolean;
}

export interface Billed {
  readonly place: UploadPlace;
  /** Chunks and direct files in its folder; none if an earlier run had committed it. */
  readonly objects: () => readonly StoredObject[];
}

/** The place of the upload as a dry run has seen it. */
export interface Destination extends UploadPlace {
  /** Highest version of the dataset; 0 if it has none. */
  readonly version: number;
  /** False for a writer without permission to list: `version` is then what this computer remembers. */
  readonly isListed: boolean;
}

type Sums = Pick<
  UploadResult,
  'version' | 'fork' | 'files' | 'bytes' | 'storedBytes' | 'chunks' | 'shards' | 'changes'
> &
  Partial<Pick<UploadResult, 'measured'>>;

export type ResultInput = Pick<
  UploadRun,
  'uploadId' | 'datasetId' | 'store' | 'requests' | 'scanned' | 'ledger' | 'packing' | 'layout' | 'startedMs' | 'labels'
>;

/** Returns what was seen of the source by an upload that packed so many of its files. */
export function measured(
  { scanned, ledger: { table } }: Pick<UploadRun, 'scanned' | 'ledger'>,
  { files, bytes }: PendingTotals,
): Measured {
  const unseen = scanned.skipped.filter(({ special }) => !special).length + scanned.young.length;
  const seen = { files: scanned.files + unseen, bytes: unseen === 0 ? scanned.bytes : undefined };
  return {
    ...seen,
    packed: { files, bytes },
    suffixed: 0,
    isRewritten: false,
    isScanned: (path) => isScanned(table, path),
  };
}

/** Returns the result for a version that this upload made, or for that of `uploadId`. */
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
    measured: measured(run, { files: 0, bytes: 0 }),
    ...defined({ dvcContents: dvcContentsOf(scanned.dvc, run.labels.provenance?.ofEntries.stages) }),
    ...(packing.dedup === true ? { deduplicated: deduplicatedTotals(ledger.table) } : {}),
    ...(layout.direct === undefined
      ? {}
      : { directFiles: ledger.chunks().filter(({ content }) => content === 'file').length }),
    ...sums,
  };
}

/** Returns the result of a dry run. */
export function dryRunResult(
  run: ResultInput,
  plan: UploadPlan,
  compared?: { readonly changes: NonNullable<UploadResult['changes']>; readonly changeOf?: PlannedInput['changeOf'] },
): UploadResult {
  const { scanned, ledger } = run;
  const { files, bytes, reasons } = scanned;
  const { lanes, shards } = plan;
  const sums = { version: null, files, bytes, storedBytes: 0, chunks: plannedObjects(lanes), shards };
  const result = versionResult(run, { ...sums, ...(compared && { changes: compared.changes }) });
  const planned = plannedUpload({ table: ledger.table, reasons, lanes, changeOf: compared?.changeOf });
  return { ...result, planned };
}

/** Returns the result for an upload that an earlier run had committed as this version. */
export function committedResult(run: ResultInput, { uploadId, version, totals }: VersionRecord): UploadResult {
  const { files, bytes, storedBytes, chunks } = totals;
  return versionResult(run, { version, files, bytes, storedBytes, chunks, shards: 0 }, uploadId);
}

// Options and result of a repair.
import type { EventSink } from '../../events/events.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ListingKind } from '../../format/manifest/manifest-types.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { Loss } from './losses.js';
import type { Rebased } from './rebase.js';

export interface RepairOptions {
  readonly store: ObjectStore;
  readonly uploadId: UploadId;
  readonly region: string | undefined;
  readonly tool: string;
  /** The manifest cache of this computer. */
  readonly cache?: ManifestCache | undefined;
  /** Write; otherwise only report what would be written. */
  readonly execute: boolean;
  /** Repair even when the manifest is sound. */
  readonly force: boolean;
  /** Use entries of earlier versions, even where nothing proves that they belong here. */
  readonly fromPrevious: boolean;
  readonly requestsAtOnce: number;
  readonly signal: AbortSignal;
  readonly emit?: EventSink | undefined;
}

/**
 * `sound`: nothing to do. `unfinished` and `finished`: the manifest is sound, and its record still names, or named, the one that it
 * replaced. `repairable` and `repaired`: a manifest can be, or was, put back, rebuilt or made independent.
 */
export type RepairStatus = 'sound' | 'unfinished' | 'finished' | 'repairable' | 'repaired';

/** The upload that a part of the view comes from, and how it was read. */
export interface RepairPart {
  readonly uploadId: UploadId;
  /**
   * From the tables of contents of its chunks, its manifest in the store, segments of a manifest that is not whole, this computer's cache, or
   * a copy beside what was lost.
   */
  readonly from: 'chunks' | 'manifest' | 'segments' | 'cache' | 'copy';
}

export interface RepairResult {
  readonly uploadId: UploadId;
  readonly status: RepairStatus;
  /** Describes the damage of the existing manifest; null when it is sound. */
  readonly damage: string | null;
  readonly version: { readonly datasetId: string; readonly version: number } | null;
  /** Describes the manifest that is put in place; null when there is none. */
  readonly rebuilt: {
    readonly listing: ListingKind;
    readonly chunks: number;
    readonly entries: number;
    readonly files: number;
    readonly bytes: number;
    readonly storedBytes: number;
    /** The KMS key that it is encrypted with, the same as for the one that it replaces. */
    readonly encryptedBy: string | null;
    /** The newest other upload whose entries were used. */
    readonly takenFrom: string | null;
  } | null;
  /** Parts of the view, newest first. */
  readonly parts: readonly RepairPart[];
  /** True when its view is proven to be that of the version: nothing is lost except what is listed. */
  readonly isProven: boolean;
  /** Versions that built on it and become, or became, full listings of their own. */
  readonly rebased: readonly Rebased[];
  /** Stored bytes that are, or would be, read through to compute digests. */
  readonly readBytes: number;
  readonly lost: readonly Loss[];
  readonly unknown: readonly string[];
  readonly manifestKey: string;
  /** Keys of segments that were, or would be, put in place. */
  readonly segmentKeys: readonly string[];
  /** Digest of the written manifest; null when none was written. */
  readonly manifestSha256: string | null;
  /** Key of the backup of the replaced manifest. */
  readonly backupKey: string | null;
}

/** True when the version has, or may have, less than before. */
export const hasLosses = ({ lost, isProven, rebased }: RepairResult): boolean =>
  lost.length > 0 || !isProven || rebased.some(({ difference }) => difference !== null);

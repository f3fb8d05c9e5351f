// Types of a commit: what is to become a version, and the outcome.
import type { ChunkRecord, ListingKind, PreviousManifest, Totals } from '../../format/manifest/manifest-types.js';
import type { ListedObject } from '../../dataset/cache/check-cache.js';
import type { ViewCheck } from '../../dataset/check-view.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { VersionInput } from './commit.js';
import type { VersionName } from '../../dataset/records/version-name.js';

/** An upload that is to become a version. */
export interface Commitment {
  readonly encoded: EncodedManifest;
  /** Totals of the effective view. */
  readonly totals: Totals;
  readonly listing: ListingKind;
  /** Chunks that the manifest lists, or its segments. */
  readonly chunks: readonly ChunkRecord[];
  /** The manifest that a delta builds on, and the ETag of its version's record where that is known. */
  readonly previous?: (PreviousManifest & { readonly recordEtag: string | undefined }) | undefined;
  /** True if the manifest says more than its chunks do: a copy of it is put beside it. */
  readonly hasCopy?: boolean;
  /** When what it refers to was last looked at, in ms by the wall clock. */
  readonly lookedAtMs?: number | undefined;
  /** The view that a delta builds on, as it was last seen whole. */
  readonly seen?: Pick<ViewCheck, 'lookedAtMs' | 'manifests'> | undefined;
}

/** The ordinal to take: exactly `version`, or the first free one from there on. */
export interface Ordinal {
  readonly version: number;
  readonly isExact: boolean;
}

export interface CommittedUpload extends VersionName {
  /** ETag of its record as the store shows it; undefined for a writer without permission to list. */
  readonly recordEtag: string | undefined;
  /** Encryption as its record says it. */
  readonly encryption: VersionInput['encryption'];
  /** Its manifest as the store shows it; undefined for a writer without permission to list. */
  readonly manifest: ListedObject | undefined;
  /** When the commit began, which looks at all that the manifest lists; in ms by the wall clock. */
  readonly startedMs: number;
}

/** Something that the manifest refers to, or the manifest itself, is not sound. */
export interface Stale {
  /** A clause: which object, and what is wrong with it. */
  readonly why: string;
  /** Set if its record was already put: the version is listed and not whole. */
  readonly version?: number;
}

/** `taken`: a rival has the ordinal. In that case, as in that of `Stale`, the upload can only go on under another id. */
export type CommitOutcome = CommittedUpload | 'taken' | Stale;

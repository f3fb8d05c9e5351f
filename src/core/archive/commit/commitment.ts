// What is to become a version, and what came of it.
import type { ChunkRecord, ListingKind, PreviousManifest, Totals } from '../../manifest/manifest-types.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import type { VersionInput } from './commit.js';

/** What is to become a version. */
export interface Commitment {
  readonly encoded: EncodedManifest;
  /** Of the effective view. */
  readonly totals: Totals;
  readonly listing: ListingKind;
  /** That the manifest lists. */
  readonly chunks: readonly ChunkRecord[];
  /** The manifest that a delta builds on, and the ETag of its version's record where that is known. */
  readonly previous?: (PreviousManifest & { readonly recordEtag: string | undefined }) | undefined;
  /** It says more than its chunks do: a copy of it is put beside. */
  readonly hasCopy?: boolean;
  /** When what it refers to was last looked at, by the wall clock. */
  readonly lookedAtMs?: number | undefined;
}

/** Which ordinal it takes: this one and no other, or this one or the first free one after it. */
export interface Ordinal {
  readonly version: number;
  readonly isExact: boolean;
}

export interface CommittedUpload {
  readonly version: number;
  /** What the store shows of its record; undefined for a writer without permission to list. */
  readonly recordEtag: string | undefined;
  /** As its record says it. */
  readonly encryption: VersionInput['encryption'];
}

/**
 * `taken`: a rival has the ordinal. `stale`: what the manifest refers to is not sound any more. In both cases the manifest
 * stays without a version, and the upload can only go on under another id.
 */
export type CommitOutcome = CommittedUpload | 'taken' | 'stale';

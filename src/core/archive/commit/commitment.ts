// What is to become a version, and what came of it.
import type { ChunkRecord, ListingKind, PreviousManifest, Totals } from '../../format/manifest/manifest-types.js';
import type { ShownObject } from '../../dataset/cache/look-memory.js';
import type { ViewLook } from '../../dataset/view-look.js';
import type { EncodedManifest } from '../../format/manifest/manifest-writer.js';
import type { VersionInput } from './commit.js';
import type { VersionName } from '../../dataset/records/version-name.js';

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
  /** The view that a delta builds on, as it was last seen whole. */
  readonly seen?: Pick<ViewLook, 'lookedAtMs' | 'manifests'> | undefined;
}

/** Which ordinal it takes: this one and no other, or this one or the first free one after it. */
export interface Ordinal {
  readonly version: number;
  readonly isExact: boolean;
}

export interface CommittedUpload extends VersionName {
  /** What the store shows of its record; undefined for a writer without permission to list. */
  readonly recordEtag: string | undefined;
  /** As its record says it. */
  readonly encryption: VersionInput['encryption'];
  /** What the store shows of its manifest; undefined for a writer without permission to list. */
  readonly manifest: ShownObject | undefined;
  /** By the wall clock: when the commit began, which looks at all that the manifest lists. */
  readonly startedMs: number;
}

/** Something that the manifest refers to, or the manifest itself, is not sound. */
export interface Stale {
  /** A clause: which object, and what is wrong with it. */
  readonly why: string;
  /** Its record was put by then: it is listed and not whole. */
  readonly version?: number;
}

/** `taken`: a rival has the ordinal. So, and where it is stale, the upload can only go on under another id. */
export type CommitOutcome = CommittedUpload | 'taken' | Stale;

// The manifest as code sees it; docs/format.md is the specification. Paths are byte strings (raw-path.ts) here and
// text only in JSON.
import type { UploadId } from '../../store/ids/upload-id.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { ObjectLockRecord } from './object-lock.js';
import type { DvcRecord, GitRecord } from './provenance-types.js';

export const FORMAT_VERSION = 1;

export interface FrameRecord {
  /** Stored (compressed) bytes. */
  readonly size: number;
  readonly rawSize: number;
  /** Hex SHA-256 of the stored bytes. */
  readonly sha256: string;
}

export interface ChunkRecord {
  readonly chunk: number;
  /** Relative to the folder of the manifest. */
  readonly key: string;
  readonly shard: number;
  /** Stored bytes of the whole object, table of contents included. */
  readonly size: number;
  /** Bytes of the tar stream. */
  readonly rawSize: number;
  readonly entries: number;
  readonly level: number;
  readonly storageClass: string;
  readonly sha256: string;
  /** Bytes of the skippable frame at the end. */
  readonly tocSize: number;
  readonly frames: readonly FrameRecord[];
  /** The object is one file as it is, its frames not compressed. Absent: a tar stream. */
  readonly content?: 'file';
  /** With `content`: number of the chunk, in the same upload, whose table of contents lists it. */
  readonly listedIn?: number;
}

export interface ShardRecord {
  readonly shard: number;
  readonly prefix: string;
  readonly chunks: number;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
}

export interface Totals {
  readonly entries: number;
  /** Everything but directories. */
  readonly files: number;
  readonly directories: number;
  readonly symlinks: number;
  readonly hardlinks: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly skipped: number;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly user?: RawPath;
  readonly group?: RawPath;
}

export interface SourceRecord extends Owner {
  readonly path: RawPath;
  readonly host: string;
  readonly mode: number;
  readonly mtime: Timestamp;
}

export interface Settings {
  readonly shardStrategy: string;
  readonly shardCount: number;
  readonly compression: { readonly algorithm: string; readonly level: number | null };
  readonly frameSize: number;
  readonly chunkSize: number;
  readonly fileChecksums: boolean;
  /** The content of equal files is stored once. */
  readonly dedup?: boolean;
}

/** Files of an upload that refer to the content of others, and the bytes that need not be stored for them. */
export interface Deduplicated {
  readonly files: number;
  readonly bytes: number;
}

/** `full`: `files` is everything. `delta`: what differs from the manifest before it. */
export type ListingKind = 'full' | 'delta';

/** The manifest that a delta builds on. */
export interface PreviousManifest {
  readonly uploadId: UploadId;
  /** Hex SHA-256 of it as it is stored. */
  readonly sha256: string;
}

/** What lies on the last full listing, the delta that says so included. */
export interface ChainRecord {
  readonly deltas: number;
  /** Entries in them, deletions included. */
  readonly entries: number;
}

/** Everything of a manifest but its entries. */
export interface ManifestHead {
  readonly format: number;
  readonly type: 'archiver-manifest';
  /** What a reader must know; manifests of 0.1.0 may lack it. */
  readonly requires?: readonly string[];
  readonly tool: string;
  readonly codec: string;
  readonly uploadId: UploadId;
  readonly createdAt: string;
  readonly listing: ListingKind;
  /** Of a delta only. */
  readonly previous?: PreviousManifest;
  /** Of a delta only. */
  readonly chain?: ChainRecord;
  /** Of a delta only: totals of the effective view. `totals` are those of the delta itself. */
  readonly view?: Totals;
  /** Digests of manifests that this one stands in for: it was rewritten. */
  readonly replaces?: readonly string[];
  readonly datasetId: string;
  readonly writerId?: string;
  readonly source: SourceRecord;
  readonly storage: Readonly<Record<string, string>>;
  /** Of what this upload put itself; what it refers to elsewhere has the lock of its own upload. */
  readonly objectLock?: ObjectLockRecord;
  readonly project?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly settings: Settings;
  /** Where `settings.dedup` is set: of what this upload stored itself. */
  readonly dedup?: Deduplicated;
  readonly git?: GitRecord;
  readonly dvc?: DvcRecord;
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  readonly chunks: readonly ChunkRecord[];
}

/** Seconds since 1970 (may be negative) and 0 to 999 999 999 nanoseconds after them. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

export type EntryType = 'file' | 'directory' | 'symlink' | 'hardlink';

export interface Segment {
  /** Position in `chunks`. */
  readonly chunk: number;
  readonly offset: number;
  readonly size: number;
}

/** One path of the archive. Which keys are there depends on `type`: see docs/format.md. */
export interface Entry extends Owner {
  readonly path: RawPath;
  readonly type: EntryType;
  /** 0 for directories and symlinks. */
  readonly size: number;
  readonly mtime: Timestamp;
  readonly ctime: Timestamp;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly inode: RawPath;
  readonly md5?: string;
  /** Hex SHA-256 of the content; where equal content is stored once. */
  readonly sha256?: string;
  /** Hex XXH64 of the content, seeded by the upload in whose folder it lies; where there is no `sha256`. */
  readonly xxh64?: string;
  /** Position in `chunks`. */
  readonly chunk?: number;
  readonly offset?: number;
  readonly segments?: readonly Segment[];
  readonly holes?: readonly (readonly [offset: number, length: number])[];
  readonly target?: RawPath;
  readonly linkGroup?: number;
  readonly xattrs?: ReadonlyMap<RawPath, Buffer>;
  readonly changed?: boolean;
  /** DVC stage that makes it. */
  readonly stage?: string;
  /** Git commit at which it was uploaded, full hex. */
  readonly commit?: string;
}

/** Of a delta: the path is gone, and whatever lay below it. */
export interface Tombstone {
  readonly path: RawPath;
  readonly type: 'deleted';
}

/** What `files` of a delta holds. */
export type Mention = Entry | Tombstone;

/** `datasets/<dataset id>/v00000012.json`, or `v00000012.<upload id>.json`: makes an upload a version. */
export interface VersionRecord {
  readonly format: number;
  readonly type: 'archiver-version';
  /** What a reader must know; records of 0.1.0 may lack it. */
  readonly requires?: readonly string[];
  readonly datasetId: string;
  readonly version: number;
  /** Nothing that is stored: what a listing shows of versions that share its ordinal (core/dataset/records/version-name.ts). */
  readonly fork?: string | undefined;
  readonly uploadId: UploadId;
  /** Relative to the base. */
  readonly manifestKey: string;
  readonly manifestSha256: string;
  readonly createdAt: string;
  readonly listing: ListingKind;
  readonly previous: number | null;
  /** Empty where the manifest is encrypted. */
  readonly source: { readonly path?: string; readonly pathBase64?: string; readonly host?: string };
  /** Of the effective view. */
  readonly totals: Totals;
  readonly writerId?: string;
  /** The KMS key of the chunks, and whether the manifest is encrypted with it too. */
  readonly encryption?: { readonly kmsKeyId: string; readonly manifest: boolean };
  /** The git commit in its manifest; null for none. Absent: only the manifest says it. */
  readonly commit?: string | null;
  /** As in its manifest. */
  readonly objectLock?: ObjectLockRecord;
  /** While the manifest is being rewritten: the digest of the one that takes its place. */
  readonly replacementSha256?: string;
  /** SHA-256 of the record without this key. */
  readonly digest: string;
}

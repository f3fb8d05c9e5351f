// What the engine requires of an object store. `ObjectReader` is all that read-only commands get; `ObjectDeleter` gets who may
// delete, and nobody else (docs/protocol/rules.md#one-deleter).
//
// A store is bound to a base: a bucket and prefix, or a folder. Keys are relative to that base, never start with a
// slash, and use `/`. Every implementation is durable before it acknowledges, reads its own writes at once, and is
// atomic: a key shows its old object, its new object or nothing, never a part. The conformance suite
// (test/core/store/conformance.ts) says the rest.
import type { Readable } from 'node:stream';
import type { KeyService } from './key-service.js';
import type { Pace } from '../platform/limits/pace.js';

export type RetentionMode = 'governance' | 'compliance';

/** S3 Object Lock: until then no one deletes this version of the object, except, of governance, who may bypass it. */
export interface Retention {
  readonly mode: RetentionMode;
  readonly until: Date;
}

export interface ObjectInfo extends StorageTraits {
  readonly key: string;
  readonly sizeBytes: number;
  /** Opaque, without quotes. Compare for equality only: it is an MD5 on few stores. */
  readonly etag: string;
  readonly lastModified: Date;
  /** As the store names it; `STANDARD` where it names none. */
  readonly storageClass: string;
  /** Where INTELLIGENT_TIERING keeps it, if that is one of its archive tiers; only `head` can tell. */
  readonly archiveTier?: string;
  /** Present for an object that was requested from cold storage. */
  readonly restore?: { readonly inProgress: boolean; readonly expiry?: Date };
  /** How the store encrypts it, in its own words; absent where it does not. Only `head` can tell. */
  readonly encryption?: { readonly method: string; readonly kmsKeyId: string | null };
  /** Only `head` can tell, and on AWS only to who may `s3:GetObjectRetention`. */
  readonly retention?: Retention;
}

/** Bytes `start` to `end` (exclusive), or the last `suffix` bytes. */
export type ByteRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

export interface GetOptions {
  readonly range?: ByteRange | undefined;
  /** Fail with `conflict` when the object is no longer this one. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an answer tells of how the object is kept, and billed. */
export interface StorageTraits {
  /** The bucket keeps versions: what is deleted or written again stays there. */
  readonly keepsVersions?: true;
  /** With a key of KMS, which was asked for it. */
  readonly usesKms?: true;
}

export interface ObjectContent extends StorageTraits {
  /** Bytes that `body` will yield. */
  readonly sizeBytes: number;
  /** Bytes of the whole object. */
  readonly totalBytes: number;
  /** Offset of the first byte of `body` in the object. */
  readonly start: number;
  readonly etag: string;
  /** As `ObjectInfo` has it; undefined where an answer does not tell. */
  readonly storageClass?: string;
  /** The same. */
  readonly lastModified?: Date;
  /** Must be consumed or destroyed by the caller. Errors with an ArchiverError. */
  readonly body: Readable;
}

export interface ListOptions {
  readonly prefix?: string | undefined;
  /** `/` folds deeper keys into `prefixes`. */
  readonly delimiter?: '/' | undefined;
  /** Ask for the restore status of cold objects where the store can tell. */
  readonly withRestoreStatus?: boolean | undefined;
  /** Only keys after this one: how an interrupted listing is continued. */
  readonly startAfter?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ListPage {
  readonly objects: readonly ObjectInfo[];
  /** Folded keys, each with its trailing `/`. */
  readonly prefixes: readonly string[];
}

export interface WriteOptions {
  readonly storageClass?: string | undefined;
  readonly contentType?: string | undefined;
  /** SSE-KMS with this key. */
  readonly kmsKeyId?: string | undefined;
  /** Object Lock of what is written. @throws unsupported where the bucket has none, before anything is stored */
  readonly retention?: Retention | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PutOptions extends WriteOptions {
  /** Fail with `conflict` when the key exists (If-None-Match: *). */
  readonly ifAbsent?: boolean | undefined;
  /**
   * Fail with `conflict` when the object is gone or no longer the one with this etag (as `list`, `head` and `get` give
   * it). Not together with `ifAbsent`.
   */
  readonly ifMatch?: string | undefined;
  /** Called while the body is sent, with the bytes sent by this request so far; a repeated request starts at zero. */
  readonly onSent?: (bytes: number) => void;
  /** Waited for before each slice (`PACED_SLICE_BYTES`) of the body is sent, instead of the store's own limit; a folder knows none. */
  readonly pace?: Pace;
  /** Hex SHA-256 of the body if the caller has it already: saves hashing it again. */
  readonly sha256?: string | undefined;
}

/** A copy keeps the content type of the original. */
export type CopyOptions = Omit<WriteOptions, 'contentType'>;

export interface PutResult extends StorageTraits {
  readonly etag: string;
}

/** A multipart upload that was neither completed nor aborted; this program starts none. */
export interface UnfinishedMultipart {
  readonly key: string;
  readonly multipartId: string;
  readonly startedAt: Date;
  /** Where the store says so. */
  readonly sizeBytes?: number;
}

export interface MultipartLook {
  /** Ask for the sizes as well: a request more for each upload, which needs s3:ListMultipartUploadParts. */
  readonly withSizes?: boolean;
}

/** Names one version of an object. In a bucket without versioning, the only one is called `null`. */
export interface ObjectVersionId {
  readonly key: string;
  readonly versionId: string;
}

export interface ObjectVersion extends ObjectVersionId {
  /** 0 for a delete marker. */
  readonly sizeBytes: number;
  /** What the key shows now; a delete marker shows nothing. */
  readonly isCurrent: boolean;
  readonly isDeleteMarker: boolean;
  /** As `ObjectInfo` has them; absent where a listing does not tell. */
  readonly storageClass?: string;
  readonly lastModified?: Date;
}

export interface ListVersionsOptions {
  readonly prefix?: string | undefined;
  /** Only what comes after this version: how an interrupted listing is continued. */
  readonly after?: ObjectVersionId | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VersionPage {
  /** In byte order of the key, the current version of a key first. The versions of a key may continue on the next page. */
  readonly versions: readonly ObjectVersion[];
  /** `after` for the next page; absent with the last one. */
  readonly next?: ObjectVersionId;
}

export interface DeleteFailure {
  readonly key: string;
  /** If a version was to be deleted. */
  readonly versionId?: string;
  readonly reason: string;
  /** By a policy, or a lock. */
  readonly isRefused?: boolean;
  /** The store says that a retry may help. */
  readonly retriable?: boolean;
}

export type ThawTier = 'expedited' | 'standard' | 'bulk';

export interface ThawOptions {
  /** How long the readable copy stays; not said of what comes back for good. */
  readonly days?: number;
  readonly tier: ThawTier;
  readonly signal?: AbortSignal | undefined;
}

export type Ability = 'list' | 'read' | 'delete';

export interface StoreAbilities {
  /** False where the store has refused it; true where it has not, or was never asked. `key` is an object or a prefix. */
  may(ability: Ability, key: string): boolean;
}

export interface ObjectReader {
  /** `s3://bucket/prefix` or `file:///folder`, without a trailing slash. */
  readonly url: string;
  /** Decrypts what is encrypted in the store; without it, that cannot be read. */
  readonly keys?: KeyService;
  /** What the credentials may do, as far as the store's answers have shown; absent where nothing is remembered. */
  readonly abilities?: StoreAbilities;
  /** @throws not-found, access-denied, conflict (ifMatch), cold-storage, store */
  get(key: string, options?: GetOptions): Promise<ObjectContent>;
  /** Undefined when there is no such object. */
  head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined>;
  /** Pages in byte order of the key. A store that cannot list throws; it never yields an empty page instead. */
  list(options?: ListOptions): AsyncIterable<ListPage>;
}

export interface PlainKeys {
  /** The user says that nobody else writes there now. */
  readonly isExclusive: boolean;
}

export interface ObjectStore extends ObjectReader {
  /** Where no key is created only once: then no key may have two writers. */
  readonly plain?: PlainKeys;
  /** The current time by the clock of `lastModified`. */
  time(signal?: AbortSignal): Promise<Date>;
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<PutResult>;
  /** The unfinished ones whose key begins with `prefix`; in a folder the temp files of writers. */
  listMultipart(prefix: string, signal?: AbortSignal, look?: MultipartLook): AsyncIterable<UnfinishedMultipart>;
  /** Every version and delete marker; where no versions are kept, every object once. */
  listVersions(options?: ListVersionsOptions): AsyncIterable<VersionPage>;
  copy(fromKey: string, toKey: string, options?: CopyOptions): Promise<void>;
  /** Requests a readable copy of a cold object. `already` when it is readable or was requested. @throws unsupported where nothing is ever cold */
  thaw(key: string, options: ThawOptions): Promise<'started' | 'already'>;
}

/** What deletes. The files that may name it are listed in scripts/import-rules.mjs, each with what it deletes. */
export interface ObjectDeleter {
  /** Deletes in batches of 1000; a key that does not exist is no failure. */
  readonly delete: (keys: readonly string[], signal?: AbortSignal) => Promise<readonly DeleteFailure[]>;
  /** Deletes these versions for good, in batches of 1000; one that does not exist is no failure. */
  readonly deleteVersions: (
    versions: readonly ObjectVersionId[],
    signal?: AbortSignal,
  ) => Promise<readonly DeleteFailure[]>;
  /** Aborting one that does not exist is no failure. Its writer fails, where it is still at work. */
  readonly abortMultipart: (key: string, multipartId: string, signal?: AbortSignal) => Promise<void>;
}

/** Both, as what makes and what wraps stores has them. */
export interface WholeStore extends ObjectStore, ObjectDeleter {}

/** Requests by how S3 bills them. */
export interface RequestCounts {
  put: number;
  get: number;
  list: number;
  head: number;
  delete: number;
  copy: number;
  other: number;
}

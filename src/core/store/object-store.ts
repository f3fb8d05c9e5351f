// The interfaces of an object store. Read-only commands get an `ObjectReader` and nothing else; an `ObjectDeleter` is handed only to those
// that may delete (docs/protocol/rules.md#one-deleter).
//
// A store is bound to a base: a bucket and prefix, or a folder. Keys are relative to that base, never start with a
// slash, and use `/`. Every implementation is durable before it acknowledges, reads its own writes at once, and is
// atomic: a key shows its old object, its new object or nothing, never a part. The conformance suite
// (test/core/store/conformance.ts) says the rest.
import type { Readable } from 'node:stream';
import type { KeyService } from './key-service.js';
import type { Pace } from '../platform/limits/pace.js';

export type RetentionMode = 'governance' | 'compliance';

/** S3 Object Lock: until then nobody can delete this version of the object, except those who may bypass `governance`. */
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
  /** Storage class as the store names it; `STANDARD` if it names none. */
  readonly storageClass: string;
  /** Archive tier of INTELLIGENT_TIERING that it lies in, if any; only `head` can tell. */
  readonly archiveTier?: string;
  /** Present for an object that was requested from cold storage. */
  readonly restore?: { readonly inProgress: boolean; readonly expiry?: Date };
  /** How the store encrypts it, in its own words; absent if it does not. Only `head` can tell. */
  readonly encryption?: { readonly method: string; readonly kmsKeyId: string | null };
  /** Object Lock of the object. Only `head` can tell, and on AWS only to credentials with `s3:GetObjectRetention`. */
  readonly retention?: Retention;
}

/** Bytes `start` to `end` (exclusive), or the last `suffix` bytes. */
export type ByteRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

export interface GetOptions {
  readonly range?: ByteRange | undefined;
  /** Fail with `conflict` when the object is no longer this one. */
  readonly ifMatch?: string | undefined;
  /**
   * Asked for memory of that many bytes when the answer begins, by stores that can receive into it: the pieces of the body are then views of it,
   * in order from its start. Nothing is written to it once the body is destroyed or has ended.
   */
  readonly into?: ((sizeBytes: number) => Uint8Array | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How an object is kept and billed, as far as an answer tells. */
export interface StorageTraits {
  /** Set if the bucket keeps versions: what is deleted or overwritten stays there. */
  readonly keepsVersions?: true;
  /** Set if the object is encrypted with a KMS key, for which KMS was asked. */
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
  /** As in `ObjectInfo`; undefined if an answer does not tell. */
  readonly storageClass?: string;
  /** As in `ObjectInfo`; undefined if an answer does not tell. */
  readonly lastModified?: Date;
  /** What the store keeps beside the bytes, as far as the answer tells. */
  readonly about?: {
    readonly contentType?: string;
    /** Metadata of its owner, by names in lower case. */
    readonly metadata?: Readonly<Record<string, string>>;
    readonly versionId?: string;
  };
  /** Must be consumed or destroyed by the caller. Errors with an ArchiverError. */
  readonly body: Readable;
}

export interface ListOptions {
  readonly prefix?: string | undefined;
  /** `/` folds deeper keys into `prefixes`. */
  readonly delimiter?: '/' | undefined;
  /** Ask for the restore status of cold objects, if the store can tell. */
  readonly withRestoreStatus?: boolean | undefined;
  /** Only keys after this one; used to continue an interrupted listing. */
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
  /** Object Lock of the written object. @throws unsupported if the bucket has none, before anything is stored */
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
  /** Awaited before each slice (`PACED_SLICE_BYTES`) of the body is sent, instead of the store's own limit; folder stores ignore it. */
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
  /** Bytes received so far, if the store says it. */
  readonly sizeBytes?: number;
}

export interface ListMultipartOptions {
  /** Also ask for the sizes: one more request for each upload, which needs s3:ListMultipartUploadParts. */
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
  /** True for the version that the key shows now; a delete marker shows nothing. */
  readonly isCurrent: boolean;
  readonly isDeleteMarker: boolean;
  /** As in `ObjectInfo`; absent if a listing does not tell. */
  readonly storageClass?: string;
  readonly lastModified?: Date;
}

export interface ListVersionsOptions {
  readonly prefix?: string | undefined;
  /** Only what comes after this version; used to continue an interrupted listing. */
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
  /** Set if a version was to be deleted. */
  readonly versionId?: string;
  readonly reason: string;
  /** True if a policy or a lock refused it. */
  readonly isRefused?: boolean;
  /** True if the store says that a retry may help. */
  readonly retriable?: boolean;
}

export type ThawTier = 'expedited' | 'standard' | 'bulk';

export interface ThawOptions {
  /** Days that the readable copy stays; absent for objects that come back for good. */
  readonly days?: number;
  readonly tier: ThawTier;
  readonly signal?: AbortSignal | undefined;
}

export type Ability = 'list' | 'read' | 'delete';

export interface StoreAbilities {
  /** False if the store has refused it; true if it has not, or was never asked. `key` is an object or a prefix. */
  may(ability: Ability, key: string): boolean;
}

export interface ObjectReader {
  /** `s3://bucket/prefix` or `file:///folder`, without a trailing slash. */
  readonly url: string;
  /** Decrypts what is encrypted in the store, which cannot be read without it. */
  readonly keys?: KeyService;
  /** Permissions of the credentials, as far as the store's answers have shown; absent if nothing is remembered. */
  readonly abilities?: StoreAbilities;
  /** @throws not-found, access-denied, conflict (ifMatch), cold-storage, store */
  get(key: string, options?: GetOptions): Promise<ObjectContent>;
  /** Undefined when there is no such object. */
  head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined>;
  /** Pages in byte order of the key. A store that cannot list throws; it never yields an empty page instead. */
  list(options?: ListOptions): AsyncIterable<ListPage>;
}

export interface PlainKeys {
  /** True if the user says that nobody else writes there now. */
  readonly isExclusive: boolean;
}

export interface ObjectStore extends ObjectReader {
  /** Set for a store that cannot create a key only once: there no key may have two writers. */
  readonly plain?: PlainKeys;
  /** Returns the current time by the clock of `lastModified`. */
  time(signal?: AbortSignal): Promise<Date>;
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<PutResult>;
  /** Lists unfinished multipart uploads whose key begins with `prefix`; in a folder the temp files of writers. */
  listMultipart(prefix: string, signal?: AbortSignal, look?: ListMultipartOptions): AsyncIterable<UnfinishedMultipart>;
  /** Lists every version and delete marker; if no versions are kept, every object once. */
  listVersions(options?: ListVersionsOptions): AsyncIterable<VersionPage>;
  copy(fromKey: string, toKey: string, options?: CopyOptions): Promise<void>;
  /**
   * Requests a readable copy of a cold object. Returns `already` when it is readable or was requested. @throws unsupported where nothing is
   * ever cold
   */
  thaw(key: string, options: ThawOptions): Promise<'started' | 'already'>;
}

/** The deleting half of a store. The files that may name it are listed in scripts/import-rules.mjs, each with what it deletes. */
export interface ObjectDeleter {
  /** Deletes in batches of 1000; a key that does not exist is no failure. */
  readonly delete: (keys: readonly string[], signal?: AbortSignal) => Promise<readonly DeleteFailure[]>;
  /** Deletes these versions for good, in batches of 1000; one that does not exist is no failure. */
  readonly deleteVersions: (
    versions: readonly ObjectVersionId[],
    signal?: AbortSignal,
  ) => Promise<readonly DeleteFailure[]>;
  /** Aborts a multipart upload; one that does not exist is no failure. Its writer fails if it is still at work. */
  readonly abortMultipart: (key: string, multipartId: string, signal?: AbortSignal) => Promise<void>;
}

/** Both halves, as code that opens or wraps stores has them. */
export interface WholeStore extends ObjectStore, ObjectDeleter {}

/** Numbers of requests, by how S3 bills them. */
export interface RequestCounts {
  put: number;
  get: number;
  list: number;
  head: number;
  delete: number;
  copy: number;
  other: number;
}

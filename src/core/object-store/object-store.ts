// What the engine asks of a place that keeps objects. `ObjectReader` is all that read-only commands get.
//
// A store is bound to a base: a bucket and prefix, or a folder. Keys are relative to that base, never start with a
// slash, and use `/`. Every implementation is durable before it acknowledges, reads its own writes at once, and is
// atomic: a key shows its old object, its new object or nothing, never a part. The conformance suite
// (test/core/object-store/conformance.ts) says the rest.
import type { Readable } from 'node:stream';
import type { KeyService } from '../keys/key-service.js';

export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  /** Opaque, without quotes. Compare for equality only: it is an MD5 on few stores. */
  readonly etag: string;
  readonly lastModified: Date;
  /** As the store names it; `STANDARD` where it names none. */
  readonly storageClass: string;
  /** Present for an object that was asked back from cold storage. */
  readonly restore?: { readonly inProgress: boolean; readonly expiry?: Date };
}

/** Bytes `start` to `end` (exclusive), or the last `suffix` bytes. */
export type ByteRange = { readonly start: number; readonly end: number } | { readonly suffix: number };

export interface GetOptions {
  readonly range?: ByteRange;
  /** Fail with `conflict` when the object is no longer this one. */
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
}

export interface ObjectContent {
  /** Bytes that `body` will give. */
  readonly sizeBytes: number;
  /** Bytes of the whole object. */
  readonly totalBytes: number;
  /** Offset of the first byte of `body` in the object. */
  readonly start: number;
  readonly etag: string;
  /** Must be consumed or destroyed by the caller. Errors with an ArchiverError. */
  readonly body: Readable;
}

export interface ListOptions {
  readonly prefix?: string;
  /** `/` folds deeper keys into `prefixes`. */
  readonly delimiter?: '/';
  /** Ask for the restore status of cold objects where the store can tell. */
  readonly withRestoreStatus?: boolean;
  /** Only keys after this one: how a listing that broke off is taken up again. */
  readonly startAfter?: string;
  readonly signal?: AbortSignal;
}

export interface ListPage {
  readonly objects: readonly ObjectInfo[];
  /** Folded keys, each with its trailing `/`. */
  readonly prefixes: readonly string[];
}

export interface WriteOptions {
  readonly storageClass?: string;
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: Readonly<Record<string, string>>;
  /** SSE-KMS with this key. */
  readonly kmsKeyId?: string;
  readonly signal?: AbortSignal;
}

export interface PutOptions extends WriteOptions {
  /** Fail with `conflict` when the key exists (If-None-Match: *). */
  readonly ifAbsent?: boolean;
  /**
   * Fail with `conflict` when the object is gone or no longer the one with this etag (as `list`, `head` and `get` give
   * it). Not together with `ifAbsent`.
   */
  readonly ifMatch?: string;
  /** Called as the body leaves, with the bytes of it that this request has sent; a repeated request begins anew. */
  readonly onSent?: (bytes: number) => void;
  /** Hex SHA-256 of the body where the caller has it already: spares the store a second hash. */
  readonly sha256?: string;
}

export interface PutResult {
  readonly etag: string;
}

/** A multipart upload that somebody began and neither completed nor aborted; this program begins none. */
export interface UnfinishedMultipart {
  readonly key: string;
  readonly multipartId: string;
  readonly startedAt: Date;
}

/** Names one version of an object. Where a bucket keeps no versions, the only one is called `null`. */
export interface VersionName {
  readonly key: string;
  readonly versionId: string;
}

export interface ObjectVersion extends VersionName {
  /** 0 for a delete marker. */
  readonly sizeBytes: number;
  /** What the key shows now; a delete marker shows nothing. */
  readonly isCurrent: boolean;
  readonly isDeleteMarker: boolean;
}

export interface ListVersionsOptions {
  readonly prefix?: string;
  /** Only what comes after this version: how a listing that broke off is taken up again. */
  readonly after?: VersionName;
  readonly signal?: AbortSignal;
}

export interface VersionPage {
  /** In byte order of the key, the current version of a key first. A key may go on with the next page. */
  readonly versions: readonly ObjectVersion[];
  /** `after` for the next page; absent with the last one. */
  readonly next?: VersionName;
}

export interface DeleteFailure {
  readonly key: string;
  /** When one version was to be deleted. */
  readonly versionId?: string;
  readonly reason: string;
  /** By a policy, or a lock. */
  readonly isRefused?: boolean;
  /** The store says that asking again may help. */
  readonly retriable?: boolean;
}

export type ThawTier = 'expedited' | 'standard' | 'bulk';

export interface ThawOptions {
  readonly days: number;
  readonly tier: ThawTier;
  readonly signal?: AbortSignal;
}

export type Ability = 'list' | 'read' | 'delete';

export interface StoreAbilities {
  /** False where the store has refused it; true where it did not, or was never asked. `key` is an object or a prefix. */
  may(ability: Ability, key: string): boolean;
}

export interface ObjectReader {
  /** `s3://bucket/prefix` or `file:///folder`, without a trailing slash. */
  readonly url: string;
  /** Opens what is encrypted there; where a store has none, that cannot be read. */
  readonly keys?: KeyService;
  /** What the credentials may do, as far as the store has said so; where it is not there, nothing is remembered. */
  readonly abilities?: StoreAbilities;
  /** @throws not-found, access-denied, conflict (ifMatch), cold-storage, store */
  get(key: string, options?: GetOptions): Promise<ObjectContent>;
  /** Undefined when there is no such object. */
  head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined>;
  /** Pages in byte order of the key. A store that cannot list throws; it never yields an empty page instead. */
  list(options?: ListOptions): AsyncIterable<ListPage>;
}

export interface ObjectStore extends ObjectReader {
  /** What time it is by the clock that `lastModified` is told in. */
  time(signal?: AbortSignal): Promise<Date>;
  put(key: string, body: Uint8Array, options?: PutOptions): Promise<PutResult>;
  /** One that does not exist is no failure. */
  abortMultipart(key: string, multipartId: string, signal?: AbortSignal): Promise<void>;
  /** The unfinished ones whose key begins with `prefix`; none where a store knows no such uploads. */
  listMultipart(prefix: string, signal?: AbortSignal): AsyncIterable<UnfinishedMultipart>;
  /** Deletes in batches of 1000; a key that does not exist is no failure. */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<readonly DeleteFailure[]>;
  /** Every version and delete marker; where no versions are kept, every object once. */
  listVersions(options?: ListVersionsOptions): AsyncIterable<VersionPage>;
  /** Deletes these versions for good, in batches of 1000; one that does not exist is no failure. */
  deleteVersions(versions: readonly VersionName[], signal?: AbortSignal): Promise<readonly DeleteFailure[]>;
  copy(fromKey: string, toKey: string, options?: WriteOptions): Promise<void>;
  /** Asks a cold object back. `already` when it is readable or on its way. @throws unsupported where nothing is ever cold */
  thaw(key: string, options: ThawOptions): Promise<'started' | 'already'>;
}

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

// Checks whether stored versions are whole.
import { verifyStore as verifyCoreStore, type VerifyStoreOptions } from '../core/mend/verify/verify-store.js';
import { verifyUpload } from '../core/mend/verify/verify.js';
import { usageError } from '../core/platform/failures/errors.js';
import { chosenUpload } from './choice.js';
import type { CallOptions, Store, VersionChoice } from './options.js';
import { call, type Call, checkMemoryLimit, oneOf } from './session.js';

export interface CheckOptions extends CallOptions {
  /**
   * `manifest` checks it by itself; `presence`, when not given, also checks that the record names it, and that every chunk is in the store
   * with its size; `content` also reads every byte of every chunk.
   */
  readonly check?: 'manifest' | 'presence' | 'content' | undefined;
  /** With `content`: share of the chunks to read, above 0 and up to 1, chosen at random, at least one. */
  readonly sample?: number | undefined;
  /** Memory limit in bytes; at least 192 MiB. A higher one applies when not given. */
  readonly memoryLimit?: number | undefined;
}

export interface VerifyOptions extends CheckOptions, VersionChoice {}

/** A problem; `path` is the file concerned, `key` the object. */
export interface Problem {
  readonly message: string;
  readonly path?: string;
  readonly key?: string;
}

/** Result for one version or upload. Sizes are bytes. */
export interface Verdict {
  readonly ok: boolean;
  /** The first errors; `errorCount` is the number of all. */
  readonly errors: readonly Problem[];
  readonly errorCount: number;
  /** Findings that are no damage, such as objects that nothing refers to. */
  readonly warnings: readonly Problem[];
  /** A command line that repairs it; null when nothing is wrong. */
  readonly hint: string | null;
  readonly files: number;
  readonly bytes: number;
}

/** Extent of the check: a `sample` of the chunks was read, or all of them (`content`). */
export interface Looked {
  readonly checked: 'manifest' | 'presence' | 'sample' | 'content';
  readonly chunks: number;
  readonly chunksRead: number;
  readonly filesRead: number;
  readonly bytesRead: number;
  /** Chunks in cold storage that should have been read: their content was not checked. */
  readonly unreadCold: readonly {
    readonly storageClass: string;
    /** `thawing`: requested, but not readable yet. */
    readonly state: 'cold' | 'thawing';
    readonly chunks: number;
    readonly bytes: number;
  }[];
}

export interface VerifyResult extends Verdict, Looked {
  readonly uploadId: string;
  readonly entries: number;
}

export interface VersionVerdict extends Verdict {
  readonly version: number;
  readonly fork?: string | undefined;
  /** Null when its record cannot be read. */
  readonly uploadId: string | null;
}

export interface DatasetVerdict {
  readonly datasetId: string;
  /** URL of its store. */
  readonly location: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
}

export interface StoreVerdict extends Looked {
  readonly ok: boolean;
  readonly location: string;
  readonly datasets: readonly DatasetVerdict[];
  /** Number of versions of all datasets. */
  readonly versions: number;
  readonly damagedVersions: number;
  /** Uploads that are no version of a dataset. */
  readonly uploads: readonly (Verdict & { readonly uploadId: string; readonly location: string })[];
  /** Number of uploads that are unfinished, or marked for deletion: they were not checked. */
  readonly uncheckedUploads: number;
  readonly warnings: readonly Problem[];
  /** False when not every folder below was searched. */
  readonly isComplete: boolean;
}

/**
 * Checks a version, and everything that it builds on. Damage is in the result; chunks in cold storage are neither read nor requested, but
 * counted in `unreadCold`. @throws ArchiverError `not-found`, `usage`, `cancelled` and errors of the store
 */
export async function verify(store: Store, options: VerifyOptions = {}): Promise<VerifyResult> {
  return await call(store, options, async (context) => {
    const how = checkOptions(options, context);
    const { uploadId, record } = await chosenUpload(options, context);
    const { mode: _, record: _record, ...result } = await verifyUpload({ ...how, uploadId, record });
    return result;
  });
}

/**
 * Checks every version of every dataset of a store, and of the stores below it. A chunk that several versions share is read once.
 * @throws as `verify`
 */
export async function verifyStore(store: Store, options: CheckOptions = {}): Promise<StoreVerdict> {
  return await call(store, options, async (context) => {
    const { mode: _, ...result } = await verifyCoreStore(checkOptions(options, context));
    return result;
  });
}

const CHECKS = ['manifest', 'presence', 'content'] as const;
const MODES = { manifest: 'quick', presence: 'default', content: 'deep' } as const;

function checkOptions(
  { check = 'presence', sample = 1, memoryLimit }: CheckOptions,
  { opened, now, requestsAtOnce, emit, signal }: Call,
): VerifyStoreOptions {
  if (!(sample > 0 && sample <= 1)) throw usageError('sample is a share: above 0, and up to 1');
  const memoryLimitBytes = checkMemoryLimit(memoryLimit);
  const mode = MODES[oneOf(check, CHECKS, 'check')];
  return {
    reader: opened.store,
    mode,
    sample,
    random: Math.random,
    now,
    requestsAtOnce,
    memoryLimitBytes,
    emit,
    signal,
  };
}

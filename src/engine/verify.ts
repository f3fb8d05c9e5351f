// Is what is stored whole?
import { verifyStore as verifyCoreStore, type VerifyStoreOptions } from '../core/mend/verify/verify-store.js';
import { verifyUpload } from '../core/mend/verify/verify.js';
import { usageError } from '../core/platform/failures/errors.js';
import { chosenUpload } from './choice.js';
import type { CallOptions, Store, VersionChoice } from './options.js';
import { call, type Call, checkMemoryLimit, oneOf } from './session.js';

export interface CheckOptions extends CallOptions {
  /**
   * `manifest`: against itself; `presence`, when not given: that the record names it, too, and that every chunk is in the store
   * with its size; `content`: every byte of every chunk.
   */
  readonly check?: 'manifest' | 'presence' | 'content' | undefined;
  /** With `content`: this share of the chunks, above 0 and up to 1, chosen at random, at least one. */
  readonly sample?: number | undefined;
  /** Bytes; at least 192 MiB. More where it is not given. */
  readonly memoryLimit?: number | undefined;
}

export interface VerifyOptions extends CheckOptions, VersionChoice {}

/** `path` is the file that it is about, `key` the object. */
export interface Problem {
  readonly message: string;
  readonly path?: string;
  readonly key?: string;
}

/** What was found of one version or upload. Sizes are bytes. */
export interface Verdict {
  readonly ok: boolean;
  /** The first ones; `errorCount` is how many there are. */
  readonly errors: readonly Problem[];
  readonly errorCount: number;
  /** No damage, such as objects that nothing refers to. */
  readonly warnings: readonly Problem[];
  /** What mends it, as a command line; null where nothing is wrong. */
  readonly hint: string | null;
  readonly files: number;
  readonly bytes: number;
}

/** How far it was looked: a `sample` of the chunks was read, or all of them (`content`). */
export interface Looked {
  readonly checked: 'manifest' | 'presence' | 'sample' | 'content';
  readonly chunks: number;
  readonly chunksRead: number;
  readonly filesRead: number;
  readonly bytesRead: number;
  /** Chunks that were to be read and lie in cold storage: nothing is known of their content. */
  readonly unreadCold: readonly {
    readonly storageClass: string;
    /** `thawing`: requested, and not readable yet. */
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
  /** Null where its record cannot be read. */
  readonly uploadId: string | null;
}

export interface DatasetVerdict {
  readonly datasetId: string;
  /** URL of the store that it is in. */
  readonly location: string;
  readonly ok: boolean;
  readonly versions: readonly VersionVerdict[];
}

export interface StoreVerdict extends Looked {
  readonly ok: boolean;
  readonly location: string;
  readonly datasets: readonly DatasetVerdict[];
  /** How many there are of all datasets. */
  readonly versions: number;
  readonly damagedVersions: number;
  /** Those that are no version of a dataset. */
  readonly uploads: readonly (Verdict & { readonly uploadId: string; readonly location: string })[];
  /** Uploads that are not finished, or marked for deletion: not looked at. */
  readonly uncheckedUploads: number;
  readonly warnings: readonly Problem[];
  /** False where not every folder below was looked into. */
  readonly isComplete: boolean;
}

/**
 * Checks a version, and all that it builds on. Damage is in the result; chunks in cold storage are neither read nor requested, and
 * counted in `unreadCold`. @throws ArchiverError `not-found`, `usage`, `cancelled` and what a store says
 */
export async function verify(store: Store, options: VerifyOptions = {}): Promise<VerifyResult> {
  return await call(store, options, async (its) => {
    const how = howOf(options, its);
    const { uploadId } = await chosenUpload(options, its);
    const { mode: _, ...result } = await verifyUpload({ ...how, uploadId });
    return result;
  });
}

/**
 * Checks every version of every dataset of a store, and of the stores below it. A chunk that several versions share is read once.
 * @throws as `verify`
 */
export async function verifyStore(store: Store, options: CheckOptions = {}): Promise<StoreVerdict> {
  return await call(store, options, async (its) => {
    const { mode: _, ...result } = await verifyCoreStore(howOf(options, its));
    return result;
  });
}

const CHECKS = ['manifest', 'presence', 'content'] as const;
const MODES = { manifest: 'quick', presence: 'default', content: 'deep' } as const;

function howOf(
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

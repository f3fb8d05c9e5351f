// Errors of a store, with the facts that the retry decorator and the committer need besides the message. Stores decide `retriable`; no
// other code looks at status codes.
import {
  ArchiverError,
  cancelledError,
  isArchiverError,
  type ErrorCode,
  type ErrorOptions,
} from '../platform/failures/errors.js';

export interface StoreErrorOptions extends ErrorOptions {
  /** The same request may succeed when it is sent again. */
  readonly retriable?: boolean;
  /** The wait that the server asked for (Retry-After). */
  readonly retryAfterMs?: number | undefined;
  /** The store's own name for it, e.g. `NoSuchUpload` or `ENOSPC`. */
  readonly reason?: string | undefined;
  /** Refused by a policy for these credentials: the same request would be refused again. */
  readonly isRefused?: boolean;
  /** How often the request was sent. */
  readonly attempts?: number;
  /** This is the answer to a repeated request: the first one may have taken effect although its answer was lost. */
  readonly afterRetry?: boolean;
}

/** A failure of an object store. */
export class StoreError extends ArchiverError {
  readonly retriable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly reason: string | undefined;
  readonly isRefused: boolean;
  readonly attempts: number;
  readonly afterRetry: boolean;

  constructor(code: ErrorCode, message: string, options: StoreErrorOptions = {}) {
    super(code, message, options);
    this.retriable = options.retriable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.reason = options.reason;
    this.isRefused = options.isRefused ?? false;
    this.attempts = options.attempts ?? 1;
    this.afterRetry = options.afterRetry ?? false;
  }
}

/** Whether the same request may succeed if it is sent again. */
export function isRetriable(error: unknown): error is StoreError {
  return error instanceof StoreError && error.retriable;
}

/** Whether an error is a conflict on a repeated request: the object may be the caller's own from the request whose answer was lost. */
export function isUncertainConflict(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'conflict' && error.afterRetry;
}

/** Throws once the signal has fired. @throws the signal's reason when it is an ArchiverError, otherwise `cancelled` */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw isArchiverError(signal.reason) ? signal.reason : cancelledError();
}

const MISNAMED = 'MisnamedKey';

/** Makes the error of an upload whose object the store shows under another key. */
export const misnamedError = (key: string, shown: string): StoreError =>
  new StoreError(
    'unsupported',
    `the store has acknowledged ${key} and lists it as ${shown}: the fault of a server that cannot say this name, so the file would not be found`,
    {
      reason: MISNAMED,
      hint: 'add --hashed-keys, and no key has a name in it that a server could mistake; or leave out --direct-upload: files then lie in chunks',
    },
  );

/** Whether an error is that one: the same upload would meet it again each time. */
export const isMisnamed = (error: unknown): boolean => error instanceof StoreError && error.reason === MISNAMED;

const NO_LOCK = 'NoObjectLock';

/** Makes the error of a request to lock something where nothing can be locked. */
export const noLockError = (bucket: string, cause?: unknown): StoreError =>
  new StoreError('unsupported', `the bucket ${bucket} has no Object Lock, so nothing in it can be locked`, {
    cause,
    reason: NO_LOCK,
    hint: 'turn it on (on AWS also for an existing bucket: versioning, then `aws s3api put-object-lock-configuration`), or leave out --object-lock',
  });

/** Whether an error is that one: the store has accepted nothing. */
export const isLockRefused = (error: unknown): boolean => error instanceof StoreError && error.reason === NO_LOCK;

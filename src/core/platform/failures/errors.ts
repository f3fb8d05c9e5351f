// The kinds of failure in the engine. They are thrown where the cause is known; only `src/cli/errors.ts` turns them into text and an exit
// status. A message says what failed on which object; a hint is a command or step to take next.

export type ErrorCode =
  | 'usage'
  | 'not-found'
  /** A policy, or the mode of a file, forbids it; other requests may be allowed. */
  | 'access-denied'
  /** Credentials are missing, expired or not accepted, or the clock is wrong: nothing is known about permissions. */
  | 'credentials'
  | 'integrity'
  | 'conflict'
  | 'unsupported'
  | 'budget-exceeded'
  | 'mass-delete'
  | 'access-posture'
  | 'forgotten-store'
  /** It waits for the answer of an operator. */
  | 'held'
  | 'plain-store'
  | 'cold-storage'
  | 'no-space'
  | 'stalled'
  | 'store'
  | 'io'
  | 'cancelled'
  | 'internal';

export interface ErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Exit status of the process when this error ends the command; the default depends on the kind. */
  readonly exitCode?: number;
}

const EXIT_CODES: Partial<Record<ErrorCode, number>> = {
  usage: 2,
  'budget-exceeded': 4,
  'mass-delete': 4,
  'access-posture': 4,
  'forgotten-store': 4,
  held: 4,
  'plain-store': 4,
  cancelled: 130,
};

/** A failure that a person can understand and act on. */
export class ArchiverError extends Error {
  override readonly name = 'ArchiverError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? EXIT_CODES[code] ?? 1;
  }
}

/** Makes the error for a mistake in how the command was called (exit status 2). */
export const usageError = (message: string, hint?: string): ArchiverError =>
  new ArchiverError('usage', message, { hint });

/** Makes the error for bytes or records that differ from what was written (exit status 1). */
export const integrityError = (message: string, options?: ErrorOptions): ArchiverError =>
  new ArchiverError('integrity', message, options);

/** Makes the error for work that was interrupted on request (exit status 130). */
export const cancelledError = (message = 'cancelled'): ArchiverError => new ArchiverError('cancelled', message);

/** True for an `ArchiverError` of one of these kinds; of any when none is given. */
export function isArchiverError(error: unknown, ...codes: readonly ErrorCode[]): error is ArchiverError {
  return error instanceof ArchiverError && (codes.length === 0 || codes.includes(error.code));
}

/** Returns a handler for `catch` that turns failures of these kinds, or with these system codes, into undefined. @throws all others */
export const undefinedOn =
  (...codes: readonly (ErrorCode | `E${string}`)[]) =>
  (error: unknown): undefined => {
    const code = isArchiverError(error) ? error.code : systemCode(error);
    if (!codes.some((one) => one === code)) throw error;
  };

/** Returns the text of anything thrown, without a stack. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the `code` of a Node system error (`ENOENT`, `EACCES`, …); undefined for other errors, including `ArchiverError`. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && !isArchiverError(error) ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

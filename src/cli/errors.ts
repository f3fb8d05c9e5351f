// The only place that turns a failure into text or JSON and an exit status.
import { meaningOf } from '../core/platform/failures/errno.js';
import { isArchiverError, systemCode, type ArchiverError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { documentLine } from '../core/platform/json/document.js';
import type { Exact, JsonLine, OtherDocument } from '../json/documents.js';

const CTRL_C = 130;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** The reason, when the cause is a named failure that says something new. */
  readonly why: string | undefined;
  readonly exitCode: number;
  /** Stacks of the error and its causes, for --trace. */
  readonly stack: string;
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause === undefined ? own : `${own}\ncaused by ${stackOf(error.cause)}`;
}

function whyOf(error: ArchiverError): string | undefined {
  const { cause } = error;
  return isArchiverError(cause) && !error.message.includes(cause.message) ? cause.message : undefined;
}

const isAbort = (error: unknown): boolean =>
  isArchiverError(error, 'cancelled') || (error instanceof Error && error.name === 'AbortError');

/** Converts anything thrown to a failure for people. After an interruption, its consequences count as the interruption. */
export function failureOf(error: unknown, signal?: AbortSignal): Failure {
  const stack = stackOf(error);
  const interruption: unknown = signal?.aborted ? signal.reason : undefined;
  const named = isAbort(error) && isArchiverError(interruption) ? interruption : error;
  if (isArchiverError(named)) {
    const { code, message } = named;
    // The interrupted error may have a hint how to continue.
    const hint = named.hint ?? (isArchiverError(error) ? error.hint : undefined);
    const status = ownExit(error) ?? interruptedExit(interruption) ?? named.exitCode;
    return { code, message, hint, why: whyOf(named), stack, exitCode: status };
  }
  const text = error instanceof Error ? error.message : String(error);
  const exitCode = interruptedExit(interruption) ?? 1;
  // The system refused something, and the code that asked has no better words for it.
  const refused = isSystemError(error) ? systemCode(error) : undefined;
  if (refused !== undefined)
    return {
      code: 'io',
      message: `the system refused: ${text}`,
      hint: meaningOf(refused)?.hint,
      why: undefined,
      exitCode,
      stack,
    };
  return {
    code: 'internal',
    message: `internal error: ${text}`,
    hint: 'run it again with --trace and report what it prints',
    why: undefined,
    exitCode,
    stack,
  };
}

/** True for a failed system call, false for one of Node's own `ERR_…`. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && /^E[A-Z0-9]+$/.test(systemCode(error) ?? '');

/** The exit status that an interrupted command has chosen itself, if it is not the one of Ctrl+C. */
const ownExit = (error: unknown): number | undefined =>
  isArchiverError(error, 'cancelled') && error.exitCode !== CTRL_C ? error.exitCode : undefined;

const interruptedExit = (reason: unknown): number | undefined =>
  isArchiverError(reason, 'cancelled') ? reason.exitCode : undefined;

// Messages may contain names from stores and disks. Line breaks are kept, all other control characters are escaped.
const lines = (text: string): readonly string[] => text.split('\n').map(printable);

function block(label: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return lines(text).map((line, index) => (index === 0 ? `  ${label.padEnd(6)}${line}` : `        ${line}`));
}

/** The text of a failure, for stderr. */
export function failureText(failure: Failure, { color, trace }: { color: boolean; trace: boolean }): string {
  const [first = '', ...others] = lines(failure.message);
  const mark = color ? '\u001b[31m✗\u001b[39m' : '✗';
  return [
    `${mark} ${first}`,
    ...others.map((line) => `  ${line}`),
    ...block('why', failure.why),
    ...block('fix', failure.hint),
    ...(trace ? lines(failure.stack) : []),
    '',
  ].join('\n');
}

/** What is no result of a command, as docs/json.md says. */
export const otherLine = <D extends OtherDocument>(document: Exact<D, OtherDocument>): string => documentLine(document);

/** The JSON document of a failure, for stdout. */
export function failureDocument({ code, message, hint, why, stack }: Failure, trace: boolean) {
  return {
    error: { code, message, hint: hint ?? null, ...(why === undefined ? {} : { why }), ...(trace ? { stack } : {}) },
  };
}

/** The failure as a line of `--progress-format json`, for stderr, unless the operation has told it. */
export function failureLine({ code, message, hint }: Failure, at: Date): string {
  const line: JsonLine<'error'> = { time: at.toISOString(), code, message, ...(hint !== undefined && { hint }) };
  return documentLine({ type: 'error', ...line });
}

const told = new WeakSet<object>();

/** Notes that the progress of an operation has told a failure, so that it is not told again. */
export function noteTold(error: unknown): void {
  if (typeof error === 'object' && error !== null) told.add(error);
}

export const isTold = (error: unknown): boolean => typeof error === 'object' && error !== null && told.has(error);

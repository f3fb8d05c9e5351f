// Answers as data: status, headers and what follows them.
import { errorText, isArchiverError, type ErrorCode } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** The methods that are served. */
export const methodsOf = (isWebdav: boolean): readonly string[] => [
  'GET',
  'HEAD',
  'OPTIONS',
  ...(isWebdav ? ['PROPFIND'] : []),
];

/** A sentence as the answer. */
export const plain = (status: number, text: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  body: [`${text}\n`],
});

/** Sends on to a path of this server. */
export const redirect = (location: string): Answer => ({
  status: 303,
  headers: { location, 'cache-control': 'private, no-store' },
});

/** What a failure is in the words of HTTP; what the store refused or lost is no fault of who asks. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'not-found': 404,
  'cold-storage': 409,
  'budget-exceeded': 403,
  cancelled: 503,
  stalled: 504,
  unsupported: 501,
  internal: 500,
};

/** The answer for a failure. */
export function errorAnswer(error: unknown, status?: number): Answer {
  const known = isArchiverError(error) ? error : undefined;
  const texts = [errorText(error), ...(known?.hint === undefined ? [] : [known.hint])].map(printable);
  return plain(status ?? (known === undefined ? 500 : (STATUS[known.code] ?? 502)), texts.join('\n'));
}

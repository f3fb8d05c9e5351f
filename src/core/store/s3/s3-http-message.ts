// The messages that the SDK passes to a transport and expects back, and what HTTP/1.1 and HTTP/2 have in common: bodies that are sent slice
// by slice, queries, timeout errors.
import type { Readable, Writable } from 'node:stream';
import { PACED_SLICE_BYTES, type Pace } from '../../platform/limits/pace.js';

const SLICE_BYTES = 1024 * 1024;

export interface HandlerRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null | undefined>>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

export interface HandlerResponse {
  readonly statusCode: number;
  readonly reason: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

export interface AbortLike {
  readonly aborted: boolean;
  addEventListener?(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

const escapeQuery = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns the query of a URL, with its question mark. */
export function queryString(query: HandlerRequest['query']): string {
  const parts = Object.entries(query ?? {}).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [escapeQuery(name)];
    return [value].flat().map((one) => `${escapeQuery(name)}=${escapeQuery(one)}`);
  });
  return parts.length === 0 ? '' : `?${parts.toSorted().join('&')}`;
}

/** Returns the bytes of a body. @throws TypeError for a body that is a stream */
export function bodyBytes(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError('only strings and byte arrays are sent');
}

/** Makes the error for an exceeded time limit. */
export const timeoutError = (message: string): Error =>
  Object.assign(new Error(message), { name: 'TimeoutError', code: 'ETIMEDOUT' });

export const noConnection = (host: string, ms: number): string => `no connection to ${host} within ${ms / 1000} s`;
export const noAnswer = (host: string, ms: number): string => `${host} did not answer within ${ms / 1000} s`;

export const abortedError = (): Error => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

/** Makes the error for a connection that ends too early. */
export const closedError = (): Error =>
  Object.assign(new Error('the connection closed before the answer'), { code: 'ECONNRESET' });

/** Hooks that are called while a body is sent. */
export interface SendHooks {
  readonly pace?: Pace | undefined;
  /** Called with the bytes of the body that were sent so far. */
  readonly onSent?: ((bytes: number) => void) | undefined;
}

/** Sends a body slice by slice, so that every slice is a sign of life and can be paced. */
export async function sendBody(
  request: Writable,
  body: Uint8Array,
  alive: () => void,
  { pace, onSent }: SendHooks,
): Promise<void> {
  const gone = new AbortController();
  let wake: () => void = () => undefined;
  request.on('drain', () => wake());
  request.once('close', () => {
    gone.abort();
    wake();
  });
  const sliceBytes = pace ? PACED_SLICE_BYTES : SLICE_BYTES;
  for (let start = 0; start < body.byteLength && !request.destroyed; start += sliceBytes) {
    const slice = body.subarray(start, start + sliceBytes);
    if (pace) {
      await pace(slice.byteLength, gone.signal);
      alive();
    }
    const drained = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (!request.write(slice)) await drained;
    alive();
    if (!request.destroyed) onSent?.(start + slice.byteLength);
  }
  if (!request.destroyed) request.end();
}

// Whether an answer is streamed: the SDK reads every other answer into memory, without a time limit.
export const isStreamed = (request: HandlerRequest, status: number): boolean =>
  request.query?.['x-id'] === 'GetObject' && status >= 200 && status < 300;

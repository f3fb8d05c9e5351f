// The session behind a public `Store`, and the end of an operation on it: by its result, by a failure, by its signal, or by a callback that
// throws.
import { setMaxListeners } from 'node:events';
import { isAbsolute } from 'node:path';
import type { EventSink } from '../core/events/events.js';
import { readyCodec } from '../core/platform/codec/codec.js';
import { cancelledError, isArchiverError, usageError } from '../core/platform/failures/errors.js';
import { MIN_MEMORY_BYTES } from '../core/platform/limits/memory-plan.js';
import { throwIfCancelled } from '../core/store/store-error.js';
import type { SessionStore } from '../core/store/store-session.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { CallOptions, Store } from './options.js';

/** Environment of operations. */
export interface Session extends SessionStore {
  readonly home: string | undefined;
  readonly host: string | undefined;
  readonly now: () => Date;
  readonly requestsAtOnce: number;
}

/** Sessions of the open stores. */
export const sessions = new WeakMap<Store, Session>();

export interface Call extends Session {
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Reports a warning at once, and again in the result. */
  readonly warn: (text: string) => void;
  /** Warnings are added to it. */
  readonly warnings: readonly string[];
}

/** Runs `work` on a store. @throws what it throws, `cancelled`, and what `onEvent` throws; usage for a store that is closed */
export async function call<T>(
  store: Store,
  { signal: given, onEvent }: CallOptions,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const session = sessions.get(store);
  if (session === undefined) throw usageError('this store is closed, or openStore did not give it');
  const ending = new AbortController();
  const signal = given === undefined ? ending.signal : AbortSignal.any([given, ending.signal]);
  setMaxListeners(0, signal); // every request listens
  const thrown: unknown[] = [];
  const warnings: string[] = [];
  const emit: EventSink = (event) => {
    if (thrown.length > 0 || event.type === 'end' || event.type === 'cost') return;
    try {
      onEvent?.(event);
    } catch (error) {
      thrown.push(error);
      ending.abort();
    }
  };
  const warn = (text: string): void => {
    warnings.push(text);
    emit({ type: 'note', text });
  };
  try {
    throwIfCancelled(signal);
    await readyCodec();
    const result = await session.during(emit, () => work({ ...session, emit, signal, warn, warnings }));
    if (thrown.length === 0) return result;
  } catch (error) {
    if (thrown.length === 0) throw isAbort(error) && signal.aborted ? cancelledError() : error;
  }
  throw thrown[0];
}

/** True for the error with which Node's own functions end on a signal. */
const isAbort = (error: unknown): boolean =>
  !isArchiverError(error) && error instanceof Error && error.name === 'AbortError';

/** Returns an absolute path. @throws usage for one that depends on where the process runs */
export function absolute(path: string, what: string): string {
  if (isAbsolute(path)) return path;
  throw usageError(`${what} must be an absolute path, and ${printable(path)} is none`);
}

const MIB = 2 ** 20;

/** Checks a memory limit in bytes; undefined for none. @throws usage when it is too small to work in */
export function checkMemoryLimit(bytes: number | undefined): number | undefined {
  if (bytes === undefined || bytes >= MIN_MEMORY_BYTES) return bytes;
  throw usageError(`memoryLimit must be at least ${MIN_MEMORY_BYTES / MIB} MiB`);
}

/** Returns the value. @throws usage when it is none of `known`, as programs without types may pass it */
export function oneOf<T extends string>(value: T, known: readonly T[], what: string): T {
  if (known.includes(value)) return value;
  throw usageError(`${what} must be one of ${known.join(', ')}, and ${printable(value)} is none`);
}

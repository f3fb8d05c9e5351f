// A source of the dashboard: it is read again and again, never twice at once. The last value stays when a later read fails.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { errorText } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';

export interface SourceState<T> {
  /** The last value that was read, possibly still incomplete. */
  readonly value: T | undefined;
  /** Time of the last read. */
  readonly readAt: Date | undefined;
  /** The reason why the last read failed, in one sentence. */
  readonly problem: string | undefined;
  readonly isReading: boolean;
  /** Milliseconds for which the value is good at least, unless the user asks for a new one. */
  readonly restMs: () => number;
  /** Reads anew, unless a read is in progress; resolves when it has ended, successfully or not. */
  readonly refresh: () => Promise<void>;
  /** Cancels the read in progress. */
  readonly stop: () => void;
}

export type Source<T> = StoreApi<SourceState<T>>;

/** A source of anything. */
export type AnySource = Pick<Source<unknown>, 'getState' | 'subscribe'>;

export interface SourceOptions<T> {
  /**
   * Reads the source. `before` is the last value; returning the same object means that nothing has changed. `show` publishes a partial
   * value when reading takes a while.
   */
  readonly read: (signal: AbortSignal, before: T | undefined, show: (value: T) => void) => Promise<T>;
  readonly now: () => Date;
  /** Milliseconds for which a value is good at least, for sources that take many requests. */
  readonly restMs?: (value: T | undefined) => number;
}

/** A source that was not read yet. */
export const createSource = <T>({ read, now, restMs }: SourceOptions<T>): Source<T> =>
  createStore<SourceState<T>>()((set, get) => {
    let reading: { readonly done: Promise<void>; readonly ending: AbortController } | undefined;
    const readOnce = async (ending: AbortController): Promise<void> => {
      const { signal } = ending;
      const show = (value: T): void => {
        if (!signal.aborted) set({ value });
      };
      const end = (last: Partial<SourceState<T>>): void => {
        if (reading?.ending !== ending) return;
        reading = undefined;
        set({ ...last, isReading: false });
      };
      try {
        const value = await read(signal, get().value, show);
        end({ value, readAt: now(), problem: undefined });
      } catch (error) {
        end({ problem: printable(errorText(error)) });
      }
    };
    return {
      value: undefined,
      readAt: undefined,
      problem: undefined,
      isReading: false,
      restMs: () => restMs?.(get().value) ?? 0,
      refresh() {
        if (reading !== undefined) return reading.done;
        set({ isReading: true });
        const ending = new AbortController();
        // Starts in a later turn, so that `reading` is set before it can end.
        const done = Promise.resolve().then(() => readOnce(ending));
        reading = { done, ending };
        return done;
      },
      stop() {
        if (reading === undefined) return;
        reading.ending.abort();
        reading = undefined;
        set({ isReading: false });
      },
    };
  });

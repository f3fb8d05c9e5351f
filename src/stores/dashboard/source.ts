// One thing that the dashboard shows, and how it is read: again and again, never twice at once. What was read last stays
// when a later read fails.
import { createStore, type StoreApi } from 'zustand/vanilla';
import { errorText } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';

export interface SourceState<T> {
  /** What was read last, or has come so far. */
  readonly value: T | undefined;
  /** When it was read. */
  readonly readAt: Date | undefined;
  /** Why the last read failed, in one sentence. */
  readonly problem: string | undefined;
  readonly isReading: boolean;
  /** How long what was read is good at least, unless a person asks. */
  readonly restMs: () => number;
  /** Reads anew, unless that is under way; resolves when it has ended, however it did. */
  readonly refresh: () => Promise<void>;
  /** Gives up what is being read. */
  readonly stop: () => void;
}

export type Source<T> = StoreApi<SourceState<T>>;

/** A source of anything. */
export type AnySource = Pick<Source<unknown>, 'getState' | 'subscribe'>;

export interface SourceOptions<T> {
  /**
   * Reads. `before`: what was read last; the same object again says that nothing has changed. `show`: what has come so far,
   * where it takes a while.
   */
  readonly read: (signal: AbortSignal, before: T | undefined, show: (value: T) => void) => Promise<T>;
  readonly now: () => Date;
  /** How long that is good at least, for what takes many requests. */
  readonly restMs?: (value: T | undefined) => number;
}

/** A source that nothing was read of yet. */
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
        // Begins in a later turn, so that `reading` is known before it can end.
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

// A source of the dashboard: it is read again and again, never twice at once. The last value stays when a later read fails.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventSink } from '../../core/events/events.js';
import { errorText } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { Outage } from '../outage.js';

export interface SourceState<T> {
  /** The last value that was read, possibly still incomplete. */
  readonly value: T | undefined;
  /** Time of the last read. */
  readonly readAt: Date | undefined;
  /** The reason why the last read failed, or is being tried again, in one sentence. */
  readonly problem: string | undefined;
  readonly outage: Outage | undefined;
  readonly isReading: boolean;
  /** Milliseconds for which the value is good at least, unless the user asks for a new one. */
  readonly restMs: () => number;
  /** Reads anew, or notes that the read in progress is not answered; resolves when it has ended, successfully or not. */
  readonly refresh: () => Promise<void>;
  /**
   * Looks whether the source still answers, while its value is good; or notes that the read in progress is not answered. What it finds is
   * told as of a read that failed, and neither value nor `readAt` change.
   */
  readonly probe: () => Promise<void>;
  /** Cancels the read in progress. */
  readonly stop: () => void;
}

export type Source<T> = StoreApi<SourceState<T>>;

/** A source of anything. */
export type AnySource = Pick<Source<unknown>, 'getState' | 'subscribe'>;

export interface SourceOptions<T> {
  /**
   * Reads the source. `before` is the last value; returning the same object means that nothing has changed. `show` publishes a partial
   * value when reading takes a while; `onEvent` takes events of the store, to tell what is tried again.
   */
  readonly read: (
    signal: AbortSignal,
    before: T | undefined,
    show: (value: T) => void,
    onEvent: EventSink,
  ) => Promise<T>;
  /** The cheapest look whether the source answers, for one that rests between reads. Rejects if it does not. */
  readonly probe?: (signal: AbortSignal, onEvent: EventSink) => Promise<void>;
  readonly now: () => Date;
  /** Milliseconds for which a value is good at least, for sources that take many requests. */
  readonly restMs?: (value: T | undefined) => number;
}

/** A source that was not read yet. */
export const createSource = <T>({ read, probe, now, restMs }: SourceOptions<T>): Source<T> =>
  createStore<SourceState<T>>()((set, get) => {
    let reading:
      | {
          readonly done: Promise<void>;
          readonly ending: AbortController;
          readonly begunAt: Date;
          readonly isProbe: boolean;
        }
      | undefined;
    /** True when this read has been heard of, by a part of the value or by what is tried again. */
    let isHeard = false;
    const failing = (kind: Outage['kind'], attempt?: Outage['attempt']): Outage => ({
      since: get().outage?.since ?? reading?.begunAt ?? now(),
      seenAt: now(),
      kind,
      attempt,
    });
    const readOnce = async (ending: AbortController, isProbe: boolean): Promise<void> => {
      const { signal } = ending;
      const show = (value: T): void => {
        isHeard = true;
        if (!signal.aborted) set({ value });
      };
      const onEvent: EventSink = (event) => {
        if (event.type !== 'retry' || signal.aborted) return;
        isHeard = true;
        const { trouble, attempt, maxAttempts, reason } = event;
        set({ problem: printable(reason), outage: failing(trouble, { next: attempt + 1, most: maxAttempts }) });
      };
      const end = (last: Partial<SourceState<T>>): void => {
        if (reading?.ending !== ending) return;
        reading = undefined;
        set({ ...last, isReading: false });
      };
      try {
        const found = isProbe
          ? await probe?.(signal, onEvent)
          : { value: await read(signal, get().value, show, onEvent), readAt: now() };
        end({ ...found, problem: undefined, outage: undefined });
      } catch (error) {
        const { attempt, kind } = get().outage ?? {};
        const outage = failing(attempt === undefined || kind === undefined ? 'failed' : kind);
        end({ problem: printable(errorText(error)), outage });
      }
    };
    const begin = (isProbe: boolean): Promise<void> => {
      isHeard = false;
      if (!isProbe) set({ isReading: true });
      const ending = new AbortController();
      // Starts in a later turn, so that `reading` is set before it can end.
      const done = Promise.resolve().then(() => readOnce(ending, isProbe));
      reading = { done, ending, begunAt: now(), isProbe };
      return done;
    };
    const noteSilence = (): void => {
      if (reading !== undefined && !isHeard && now() > reading.begunAt) set({ outage: failing('unanswered') });
    };
    return {
      value: undefined,
      readAt: undefined,
      problem: undefined,
      outage: undefined,
      isReading: false,
      // What cannot be read is tried again at each refresh.
      restMs: () => (get().problem === undefined ? (restMs?.(get().value) ?? 0) : 0),
      refresh() {
        noteSilence();
        if (reading?.isProbe === true) return reading.done.then(() => get().refresh());
        return reading?.done ?? begin(false);
      },
      async probe() {
        noteSilence();
        if (reading === undefined && probe !== undefined && get().readAt !== undefined) await begin(true);
      },
      stop() {
        if (reading === undefined) return;
        reading.ending.abort();
        reading = undefined;
        set({ isReading: false });
      },
    };
  });

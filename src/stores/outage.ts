// A store that does not answer, as screens tell it: since when, what is wrong, and which try is next.
import type { EventSink, RetryEvent } from '../core/events/events.js';

/** A time in which something cannot be read, or does not answer. */
export interface Outage {
  /** Begin of the first read that did not get through. */
  readonly since: Date;
  /** Time when that was last seen. */
  readonly seenAt: Date;
  /** `unanswered`: a read takes longer than a refresh, and nothing else is known to be wrong. */
  readonly kind: RetryEvent['trouble'] | 'unanswered';
  /** The attempt that is next; undefined when there is none before the next refresh. */
  readonly attempt?: { readonly next: number; readonly most: number } | undefined;
}

/** An outage with the reason in one sentence; undefined for that of a store that says nothing. */
export type Trouble = Outage & { readonly reason: string | undefined };

export interface OutageWatch {
  /** Takes the events of the store. */
  readonly take: EventSink;
  /** Runs work that waits for the store: when nothing is heard for some seconds, that is an outage. @throws what `work` throws */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Time (in ms) without an event after which a store counts as not answering: a refresh of the dashboard. */
const SILENT_MS = 5000;

/** Follows a store; `show` gets each change, undefined once it answers again. */
export function watchOutage(now: () => Date, show: (trouble: Trouble | undefined) => void): OutageWatch {
  const waiting = new Map<string, RetryEvent>();
  let since: Date | undefined;
  let heardAt = now();
  const over = (): void => {
    if (since !== undefined) show(undefined);
    since = undefined;
  };
  const begun = (begin: Date): Date => (since ??= begin);
  return {
    take(event) {
      heardAt = now();
      if (event.type === 'retry') {
        const { request, trouble: kind, attempt, maxAttempts: most, reason } = event;
        waiting.set(request, event);
        show({ since: begun(heardAt), seenAt: heardAt, kind, attempt: { next: attempt + 1, most }, reason });
        return;
      }
      if (event.type === 'settled') waiting.delete(event.request);
      if (waiting.size === 0) over();
    },
    async during(work) {
      heardAt = now();
      const timer = setInterval(() => {
        if (waiting.size > 0 || now().getTime() - heardAt.getTime() < SILENT_MS) return;
        show({ since: begun(heardAt), seenAt: now(), kind: 'unanswered', reason: undefined });
      }, SILENT_MS / 5);
      try {
        return await work();
      } finally {
        clearInterval(timer);
        if (waiting.size === 0) over();
      }
    },
  };
}

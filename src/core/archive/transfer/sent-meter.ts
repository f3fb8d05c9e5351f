// How much of an upload has left for the store, while chunks are on their way: told ten times a second at most.
import type { EventSink } from '../../events/events.js';

const INTERVAL_MS = 100;

export interface ChunkMeter {
  /** So many bytes of this object were sent by the request under way, which may be a repeated one. */
  readonly onSent: (key: string, bytes: number) => void;
  /** The store has the chunk. */
  readonly finish: () => void;
}

/** Adds up what chunks have sent. What was sent again counts on the wire and not in source bytes. */
export class SentMeter {
  private bytes = 0;
  private storedBytes = 0;
  private saidAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly emit: EventSink,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A chunk of so many source bytes that takes so many in the store. */
  chunk(bytes: number, storedBytes: number): ChunkMeter {
    const now = new Map<string, number>();
    const most = new Map<string, number>();
    let stored = 0;
    let counted = 0;
    const count = (share: number): void => {
      this.bytes += share * bytes - counted;
      counted = share * bytes;
    };
    return {
      onSent: (key, sent) => {
        const before = now.get(key) ?? 0;
        this.storedBytes += sent < before ? sent : sent - before;
        now.set(key, sent);
        const gained = sent - (most.get(key) ?? 0);
        if (gained > 0) {
          most.set(key, sent);
          stored += gained;
          count(storedBytes === 0 ? 0 : Math.min(1, stored / storedBytes));
        }
        this.say();
      },
      finish: () => {
        count(1);
        this.say();
      },
    };
  }

  /** Says the totals once more, at the end. */
  finish(): void {
    this.saidAt = Number.NEGATIVE_INFINITY;
    this.say();
  }

  private say(): void {
    const at = this.now();
    if (at - this.saidAt < INTERVAL_MS) return;
    this.saidAt = at;
    this.emit({ type: 'sent', bytes: Math.round(this.bytes), storedBytes: this.storedBytes });
  }
}

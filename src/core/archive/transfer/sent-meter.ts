// Measures how much of an upload was sent while chunks are under way, and reports it at most ten times a second.
import type { SentEvent } from '../../events/events.js';

const INTERVAL_MS = 100;

export interface ChunkMeter {
  /** Called with the bytes of this object that the request under way has sent; it may be a repeated one. */
  readonly onSent: (key: string, bytes: number) => void;
  /** Called when the store has the chunk, with the number of files whose content it completes. */
  readonly finish: (files: number) => void;
}

/** Adds up what chunks have sent, for everybody who shows it. Repeated bytes count in stored bytes, as on the wire, and not in source bytes. */
export class SentMeter {
  private items = 0;
  private bytes = 0;
  private storedBytes = 0;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly emit: (event: SentEvent) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Starts a plan: files and bytes count from zero. */
  begin(): void {
    this.items = 0;
    this.bytes = 0;
    this.finish();
  }

  /** Starts a chunk of `bytes` source bytes that takes `storedBytes` in the store. */
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
        this.report();
      },
      finish: (files) => {
        count(1);
        this.items += files;
        this.report();
      },
    };
  }

  /** Reports the totals now. */
  finish(): void {
    this.reportedAt = Number.NEGATIVE_INFINITY;
    this.report();
  }

  private report(): void {
    const at = this.now();
    if (at - this.reportedAt < INTERVAL_MS) return;
    this.reportedAt = at;
    this.emit({ type: 'sent', items: this.items, bytes: Math.round(this.bytes), storedBytes: this.storedBytes });
  }
}

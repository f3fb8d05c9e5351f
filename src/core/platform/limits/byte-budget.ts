// Limits the stored bytes that are being fetched or waiting for a worker. Requests are served in order; one larger than the whole budget is
// admitted when nothing else is held, so that it does not wait forever.

export class ByteBudget {
  private held = 0;
  private readonly waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(private capacity: number) {}

  /** Resolves when `bytes` may be held; return them with `release`. */
  async acquire(bytes: number): Promise<void> {
    if (this.waiting.length === 0 && this.fits(bytes)) {
      this.held += bytes;
      return;
    }
    await new Promise<void>((go) => this.waiting.push({ bytes, go }));
  }

  release(bytes: number): void {
    this.held -= bytes;
    for (let first = this.waiting[0]; first !== undefined && this.fits(first.bytes); first = this.waiting[0]) {
      this.waiting.shift();
      this.held += first.bytes;
      first.go();
    }
  }

  /** Admits every request from now on, when the run has ended and only cleans up. */
  lift(): void {
    this.capacity = Number.POSITIVE_INFINITY;
    this.release(0);
  }

  private fits(bytes: number): boolean {
    return this.held === 0 || this.held + bytes <= this.capacity;
  }
}

/** Limits concurrent work to `capacity` at a time. */
export class Slots extends ByteBudget {
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire(1);
    try {
      return await work();
    } finally {
      this.release(1);
    }
  }
}

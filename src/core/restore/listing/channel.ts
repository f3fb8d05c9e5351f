// Passes pieces from a producer to one reader, one at a time: `put` resolves when the piece was taken.

export class Channel<T> {
  /** The piece that waits; at most one. */
  private waiting: T[] = [];
  private taken: (() => void) | undefined;
  private wake: (() => void) | undefined;
  private isOver = false;
  private failure: { readonly error: unknown } | undefined;

  async put(piece: T): Promise<void> {
    if (this.isOver) return;
    this.waiting = [piece];
    this.wake?.();
    await new Promise<void>((taken) => (this.taken = taken));
  }

  /** Ends the channel; the reader gets the error, if there is one. */
  close(failure?: { readonly error: unknown }): void {
    this.isOver = true;
    this.failure = failure;
    this.wake?.();
  }

  /** Yields the pieces. @throws what `close` was given */
  async *read(): AsyncGenerator<T, void, undefined> {
    try {
      for (;;) {
        while (this.waiting.length === 0 && !this.isOver) await new Promise<void>((wake) => (this.wake = wake));
        const pieces = this.waiting;
        if (pieces.length === 0) break;
        this.waiting = [];
        yield* pieces;
        this.taken?.();
      }
    } finally {
      this.isOver = true;
      this.taken?.();
    }
    if (this.failure !== undefined) throw this.failure.error;
  }
}

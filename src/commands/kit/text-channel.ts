// Hands pieces of text from a producer to one reader, one at a time: `put` resolves when the piece was taken.

export class TextChannel {
  private piece: string | undefined;
  private taken: (() => void) | undefined;
  private wake: (() => void) | undefined;
  private isOver = false;
  private failure: { readonly error: unknown } | undefined;

  async put(piece: string): Promise<void> {
    if (piece === '' || this.isOver) return;
    this.piece = piece;
    this.wake?.();
    await new Promise<void>((taken) => (this.taken = taken));
  }

  /** No more pieces; the reader gets the error, if there is one. */
  close(failure?: { readonly error: unknown }): void {
    this.isOver = true;
    this.failure = failure;
    this.wake?.();
  }

  /** The pieces. @throws what `close` was given */
  async *read(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        while (this.piece === undefined && !this.isOver) await new Promise<void>((wake) => (this.wake = wake));
        const { piece } = this;
        if (piece === undefined) break;
        this.piece = undefined;
        yield piece;
        this.taken?.();
      }
    } finally {
      this.isOver = true;
      this.taken?.();
    }
    if (this.failure !== undefined) throw this.failure.error;
  }
}

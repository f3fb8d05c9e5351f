// stdout and stderr of one command. With --json the document is held back until the command has ended, so that a
// failure after it still leaves exactly one document. A reader that goes away (`| head`) is no failure.
import type { Writable } from 'node:stream';

/** Thrown out of `print` when nobody reads stdout any more; ends the command quietly. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';
}

const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && ['EPIPE', 'ERR_STREAM_DESTROYED'].includes((error as NodeJS.ErrnoException).code ?? '');

export class Output {
  readonly #stream: Writable;
  readonly #gone = new AbortController();
  #failure: Error | undefined;
  #waiting: (() => void) | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', this.#onError);
  }

  /** Aborts when the reader has gone away. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  readonly #onError = (error: Error): void => {
    if (isBrokenPipe(error)) this.#gone.abort(new BrokenPipe('nobody reads stdout any more'));
    else this.#failure = error;
    this.#waiting?.();
  };

  #throwIfBroken(): void {
    this.#gone.signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Writes; resolves when the stream can take more. */
  async write(text: string): Promise<void> {
    this.#throwIfBroken();
    if (this.#stream.write(text)) return;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
      this.#stream.once('drain', resolve);
    });
    this.#waiting = undefined;
    this.#throwIfBroken();
  }

  /** Resolves when everything written has left the process, or cannot. */
  async flush(): Promise<void> {
    if (this.#gone.signal.aborted || this.#failure !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
      this.#stream.write('', () => resolve());
    });
  }

  /** Gives the stream back. */
  release(): void {
    this.#stream.off('error', this.#onError);
  }
}

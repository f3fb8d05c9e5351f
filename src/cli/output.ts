// stdout of one command: all results go through here. Every write is awaited, so that a failed one is never lost: it ends the command with
// a message and an exit status of its own, whatever the command has done. A reader that goes away (`| head`) is no failure.
import type { Writable } from 'node:stream';
import type { ArchiverError } from '../core/platform/failures/errors.js';
import { BrokenPipe, outputFailure, writeChecked } from './checked-write.js';

export class Output {
  readonly #stream: Writable;
  readonly #gone = new AbortController();
  #failure: ArchiverError | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', this.#onError);
  }

  /** Aborts when the reader has gone away. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The first failure of a write to the stream, by whichever code. */
  get failure(): ArchiverError | undefined {
    return this.#failure;
  }

  readonly #onError = (error: Error): void => {
    const failure = outputFailure(error);
    if (failure instanceof BrokenPipe) this.#gone.abort(failure);
    else this.#failure ??= failure;
  };

  #throwIfBroken(): void {
    this.#gone.signal.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Writes; resolves when the text has left the process. @throws BrokenPipe, no-space, io */
  async write(text: string): Promise<void> {
    this.#throwIfBroken();
    const writing = writeChecked(this.#stream, text);
    this.#last = writing.catch(() => undefined);
    try {
      await writing;
    } catch (error) {
      this.#throwIfBroken();
      throw error;
    }
  }

  /** Resolves when everything written has left the process, or failed to. */
  async flush(): Promise<void> {
    await this.#last;
  }

  /** Stops listening to the stream. */
  release(): void {
    this.#stream.off('error', this.#onError);
  }
}

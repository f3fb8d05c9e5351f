// The output of a shell command: collected into pieces, written no faster than it is read, and stopped when the line is cancelled, nobody
// reads any more, or a write fails.
import { setImmediate } from 'node:timers/promises';
import { writeChecked } from '../../cli/checked-write.js';
import type { ShellStreams } from '../../core/shell/interpreter.js';
import { throwIfCancelled } from '../../core/store/store-error.js';

const PIECE_BYTES = 64 * 1024;

export class ShellWriter {
  readonly isTerminal: boolean;
  private text = '';

  constructor(private readonly streams: Pick<ShellStreams, 'stdout' | 'signal'>) {
    this.isTerminal = streams.stdout.isTTY === true;
  }

  /** Adds text; resolves when the reader can take more. @throws BrokenPipe, no-space, io, and the reason of a cancellation */
  async write(text: string): Promise<void> {
    this.text += text;
    if (this.text.length >= PIECE_BYTES) await this.flush();
  }

  /** Adds bytes in the same way. */
  async writeBytes(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.send(bytes);
  }

  async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (text !== '') await this.send(text);
  }

  private async send(piece: string | Uint8Array): Promise<void> {
    const { stdout, signal } = this.streams;
    throwIfCancelled(signal);
    await writeChecked(stdout, piece, signal);
    throwIfCancelled(signal);
    // Terminals and files take everything at once: without a pause Ctrl+C would not be noticed.
    await setImmediate();
  }
}

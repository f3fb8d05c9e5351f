// What a command of the shell prints: gathered into pieces of some size, never faster than it is read, and stopped when
// the line is cancelled, nobody reads any more, or a write fails.
import { setImmediate } from 'node:timers/promises';
import { writeChecked } from '../../cli/checked-write.js';
import type { ShellStreams } from '../../core/shell/interpreter.js';
import { throwIfCancelled } from '../../core/object-store/store-error.js';
import { displayPath, printable, type RawPath, textFromRaw } from '../../core/paths/raw-path.js';

const PIECE_BYTES = 64 * 1024;

export class ShellWriter {
  readonly isTerminal: boolean;
  private text = '';

  constructor(private readonly streams: Pick<ShellStreams, 'stdout' | 'signal'>) {
    this.isTerminal = streams.stdout.isTTY === true;
  }

  /** A name of the archive: with everything that steers a terminal escaped on one, as it is elsewhere. */
  name(raw: RawPath): string {
    return this.isTerminal ? displayPath(raw) : (textFromRaw(raw) ?? displayPath(raw));
  }

  /** Text that comes from the archive and is no path. */
  shown(text: string): string {
    return this.isTerminal ? printable(text) : text;
  }

  /** Resolves when the reader can take more. @throws BrokenPipe, no-space, io, and the reason of a cancellation */
  async write(text: string): Promise<void> {
    this.text += text;
    if (this.text.length >= PIECE_BYTES) await this.flush();
  }

  /** The same for bytes. */
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
    // Terminals and files take everything at once: without a pause nobody would hear Ctrl+C.
    await setImmediate();
  }
}

// The MD5 of a local file. It is read piece by piece into one buffer, and other work gets its turn in between.
import fs from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { fsPath, type RawPath } from '../../platform/paths/raw-path.js';
import { throwIfCancelled } from '../../store/store-error.js';

/** Also what DVC 2 reads at once. */
const BUFFER_BYTES = 1024 * 1024;
const TEXT_BLOCK_BYTES = 512;
const MOST_NON_TEXT = 0.3;
/** Bytes read without a pause: 10 to 20 ms of work. */
const TURN_BYTES = 8 * BUFFER_BYTES;
// O_NONBLOCK, because a pipe in place of the file would wait for a writer. Windows has no such flag.
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

export class ContentMd5 {
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private sinceYield = 0;

  constructor(private readonly signal: AbortSignal) {}

  /** Returns the MD5 of the file in hex; `onBytes` is called for each piece. @throws the system's error, cancelled */
  async of(path: RawPath, onBytes: (bytes: number) => void): Promise<string> {
    const hash = createHash('md5');
    await this.read(path, (piece) => {
      hash.update(piece);
      onBytes(piece.length);
    });
    return hash.digest('hex');
  }

  /** Returns the MD5 of the file in hex, and that of DVC 2: text is read with Unix line ends. @throws the system's error, cancelled */
  async ofDvc2(path: RawPath): Promise<{ readonly md5: string; readonly dvc2: string }> {
    const [hash, dvc2] = [createHash('md5'), createHash('md5')];
    let isText: boolean | undefined;
    await this.read(path, (piece) => {
      isText ??= isTextBlock(piece.subarray(0, TEXT_BLOCK_BYTES));
      hash.update(piece);
      // Piece by piece, as DVC does: a line end that lies in two pieces stays as it is.
      dvc2.update(isText ? Buffer.from(piece.toString('latin1').replaceAll('\r\n', '\n'), 'latin1') : piece);
    });
    return { md5: hash.digest('hex'), dvc2: dvc2.digest('hex') };
  }

  private async read(path: RawPath, take: (piece: Buffer) => void): Promise<void> {
    const fd = fs.openSync(fsPath(path), FLAGS);
    try {
      for (;;) {
        const count = fs.readSync(fd, this.buffer, 0, BUFFER_BYTES, null);
        if (count === 0) return;
        take(this.buffer.subarray(0, count));
        await this.spend(count);
      }
    } finally {
      fs.closeSync(fd);
    }
  }

  private async spend(bytes: number): Promise<void> {
    this.sinceYield += bytes;
    if (this.sinceYield < TURN_BYTES) return;
    this.sinceYield = 0;
    throwIfCancelled(this.signal);
    await yieldToOthers();
  }
}

/** True if DVC takes a file that begins so for text. */
function isTextBlock(block: Buffer): boolean {
  if (block.includes(0)) return false;
  const others = block.filter((byte) => byte > 126 || (byte < 32 && !TEXT_CONTROLS.has(byte))).length;
  return others <= block.length * MOST_NON_TEXT;
}

const TEXT_CONTROLS = new Set(Buffer.from('\n\r\t\f\b'));

// The MD5 of a file on this computer. Read in pieces into one buffer, whatever its size; between pieces others get their turn.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { throwIfCancelled } from '../../store/store-error.js';
import { fsPath, type RawPath } from '../../platform/paths/raw-path.js';

const BUFFER_BYTES = 1024 * 1024;
/** Read without a pause: 10 to 20 ms of work. */
const TURN_BYTES = 8 * BUFFER_BYTES;
// A pipe that took the place of the file would wait for a writer. Windows has no such flag.
const FLAGS = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);

export class ContentMd5 {
  private readonly buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  private sinceYield = 0;

  constructor(private readonly signal: AbortSignal) {}

  /** Hex MD5 of the file; `onBytes` is told of each piece. @throws what the system says, cancelled */
  async of(path: RawPath, onBytes: (bytes: number) => void): Promise<string> {
    const hash = createHash('md5');
    const fd = fs.openSync(fsPath(path), FLAGS);
    try {
      for (;;) {
        const count = fs.readSync(fd, this.buffer, 0, BUFFER_BYTES, null);
        if (count === 0) return hash.digest('hex');
        hash.update(this.buffer.subarray(0, count));
        onBytes(count);
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

/** Text gathered as bytes: a chunk's thousands of lines leave no garbage behind. One is reused from chunk to chunk. */
export class TextBuffer {
  private buffer = Buffer.allocUnsafeSlow(1 << 20);
  private length = 0;

  clear(): void {
    this.length = 0;
  }

  add(text: string): void {
    const most = this.length + text.length * 3; // UTF-8 takes up to three bytes a UTF-16 unit
    if (most > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(most, this.buffer.length * 2));
      this.buffer.copy(larger, 0, 0, this.length);
      this.buffer = larger;
    }
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  /** Valid until the next `add` or `clear`. */
  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }
}

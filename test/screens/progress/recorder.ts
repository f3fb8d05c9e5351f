import { Writable } from 'node:stream';

/** A stream that keeps what is written to it. */
export class Recorder extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    this.text += String(chunk);
    done();
  }

  /** The lines so far. */
  lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }
}

// stdout when it is a file. Node's own stream takes a short write for a complete one, so that the end of the output would be lost silently
// on a full disk; and some file systems report a failed write only when the file is closed.
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Writes all bytes. @throws system errors */
function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength;) {
    const count = writeSync(fd, bytes, at);
    if (count === 0) throw Object.assign(new Error('the file takes no more'), { code: 'EIO' });
    at += count;
  }
}

export class FileOutput extends Writable {
  constructor(readonly fd: number) {
    super();
  }

  override _write(bytes: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    try {
      writeAllSync(this.fd, bytes);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  /** Closes the file. @throws system errors: earlier writes may be lost then */
  close(): void {
    closeSync(this.fd);
  }
}

/** True if this descriptor is a regular file. */
export const isFile = (fd: number): boolean => fstatSync(fd).isFile();

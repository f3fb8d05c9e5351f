// stdout where it is a file. Node's own stream takes a short write for a whole one, so that what comes last before a full
// disk is lost without a word; and some file systems tell of a failed write only when the file is closed.
import { closeSync, fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

/** Writes all of it. @throws system errors */
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

  /** Closes the file. @throws system errors: what was written before may not be there */
  close(): void {
    closeSync(this.fd);
  }
}

/** True where this descriptor is a file on some disk. */
export const isFile = (fd: number): boolean => fstatSync(fd).isFile();

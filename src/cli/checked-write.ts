// Writes to a stream and reports whether it worked. Node reports a failed write only to the callback, not to code that just waits for
// `drain`: a full disk would look like success.
import type { Writable } from 'node:stream';
import { meaningOf } from '../core/platform/failures/errno.js';
import { ArchiverError, errorText, systemCode } from '../core/platform/failures/errors.js';

/** Thrown when nobody reads any more; ends the command quietly. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';
}

const GONE: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/** Returns the error to throw for an error of an output stream. */
export function outputFailure(cause: unknown): BrokenPipe | ArchiverError {
  if (cause instanceof BrokenPipe) return cause;
  const code = systemCode(cause) ?? '';
  if (GONE.has(code)) return new BrokenPipe('stdout was closed by its reader');
  const meaning = meaningOf(code);
  const reason = meaning?.text ?? errorText(cause);
  const kind = meaning?.code === 'no-space' ? 'no-space' : 'io';
  return new ArchiverError(kind, `cannot write to standard output: ${reason}`, { cause });
}

/** Writes; resolves when the piece has left the process, or early after an abort. @throws BrokenPipe, no-space, io */
export async function writeChecked(stream: Writable, piece: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  // A stream that failed is closed as well: the reason of the failure is more useful.
  const broken = (): BrokenPipe | ArchiverError =>
    stream.errored === null ? new BrokenPipe('the output was closed by its reader') : outputFailure(stream.errored);
  if (stream.destroyed || stream.writableEnded) throw broken();
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: Error | null): void => {
      stream.off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
      if (error === undefined || error === null) resolve();
      else reject(outputFailure(stream.errored ?? error));
    };
    const onClose = (): void => settle(broken());
    const onAbort = (): void => settle();
    stream.once('close', onClose);
    signal?.addEventListener('abort', onAbort);
    stream.write(piece, settle);
  });
}

// What is said when a command has ended and its result could not be printed.
import { ArchiverError } from '../core/platform/failures/errors.js';
import { BrokenPipe, outputFailure } from './checked-write.js';
import { failureOf, failureText } from './errors.js';
import type { FileOutput } from './file-output.js';

/** The failure of stdout after a command ended with `status`; its exit status is never 0. */
export function lostOutput(failure: ArchiverError, status: number): ArchiverError {
  const ended = status === 0 ? 'the command has done its work' : `the command ended with status ${status}`;
  return new ArchiverError(failure.code, `${failure.message}; ${ended}, only what it prints is lost`, {
    cause: failure,
    exitCode: status === 0 ? 1 : status,
  });
}

/** Closes the file that stdout was and gives the exit status: a disk over the network may only now tell of a failed write. */
export function closeOutput(file: FileOutput, status: number, tell: (text: string) => void): number {
  try {
    file.close();
    return status;
  } catch (error) {
    const failure = outputFailure(error);
    if (failure instanceof BrokenPipe) return status;
    const lost = failureOf(lostOutput(failure, status));
    tell(failureText(lost, { color: false, trace: false }));
    return lost.exitCode;
  }
}

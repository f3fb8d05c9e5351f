// Reports that the result of a command that has ended could not be printed.
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

/** Closes the file that is stdout and returns the exit status: a network disk may report a failed write only now. */
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

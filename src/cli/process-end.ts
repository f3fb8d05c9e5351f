// Ends the process in spite of anything that is still running: a thread that is stuck in a system call, or the destructors of koffi, which
// flush standard error and wait for a lock of their own when that fails. Exit handlers (which restore the terminal) run before.
import { boundLibc } from '../core/platform/libc/libc.js';

interface EndingProcess {
  exitCode?: number | string | null | undefined;
  emit(name: 'exit', status: number): unknown;
  exit(status: number): never;
}

/** Ends the process with `status`, at once. */
export function endProcess(ending: EndingProcess, status: number): never {
  ending.exitCode = status;
  const libc = boundLibc();
  if (libc !== undefined) {
    ending.emit('exit', status);
    libc.exit(status);
  }
  return ending.exit(status);
}

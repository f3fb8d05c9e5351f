// Handles Ctrl+C, SIGTERM and SIGHUP. The first one asks the command to stop and keep what it has; the second ends the process. A sender of
// SIGTERM or SIGHUP often cannot send a second one and waits ten seconds before SIGKILL: the process ends before that. One that comes when
// the command has ended already changes nothing of how it ended.
import { ArchiverError } from '../core/platform/failures/errors.js';

/** 128 plus the number of the signal, as shells report it. */
const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const DEADLINE_MS = 8000;
type Name = keyof typeof STATUS;
const NAMES: readonly Name[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

export interface SignalSource {
  on(name: Name, listener: (name: Name) => void): unknown;
}

export interface Interruptions {
  readonly signal: AbortSignal;
  /** The command has ended with this status: a signal from now on ends the process with it. */
  readonly settle: (status: number) => void;
  /** Calls the function at Ctrl+C instead, until the returned function is called: a shell stops a command of its own. */
  readonly captureInterrupt: (onCtrlC: () => void) => () => void;
  /** Sets the text to print if the process is ended in the middle of something, until the returned function is called. */
  readonly onForcedExit: (words: () => string | undefined) => () => void;
}

/** Aborts `signal` at the first interruption and calls `end` at the second, or when time is up, which it reports with `tell`. */
export function interruptions(
  source: SignalSource,
  end: (status: number) => void,
  tell: (text: string) => void,
): Interruptions {
  const controller = new AbortController();
  let deadline: NodeJS.Timeout | undefined;
  let lastWords: (() => string | undefined) | undefined;
  const endNow = (exitCode: number): void => {
    const words = lastWords?.();
    if (words !== undefined) tell(words);
    end(exitCode);
  };
  const endLate = (exitCode: number): void => {
    tell(`terminated: what was under way did not end within ${DEADLINE_MS / 1000} seconds and was given up`);
    endNow(exitCode);
  };
  let taken: (() => void) | undefined;
  let settled: number | undefined;
  const onSignal = (name: Name): void => {
    const exitCode = STATUS[name];
    if (settled !== undefined) end(settled);
    else if (name === 'SIGINT' && taken !== undefined) taken();
    else if (controller.signal.aborted) endNow(exitCode);
    else {
      if (name !== 'SIGINT') deadline = setTimeout(endLate, DEADLINE_MS, exitCode).unref();
      controller.abort(new ArchiverError('cancelled', name === 'SIGINT' ? 'interrupted' : 'terminated', { exitCode }));
    }
  };
  for (const name of NAMES) source.on(name, onSignal);
  const settle = (status: number): void => {
    settled = status;
    clearTimeout(deadline);
  };
  const captureInterrupt = (onCtrlC: () => void): (() => void) => {
    const before = taken;
    taken = onCtrlC;
    return () => {
      taken = before;
    };
  };
  const onForcedExit = (words: () => string | undefined): (() => void) => {
    const before = lastWords;
    lastWords = words;
    return () => {
      lastWords = before;
    };
  };
  return { signal: controller.signal, settle, captureInterrupt, onForcedExit };
}

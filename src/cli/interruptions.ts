// Ctrl+C and its relatives. The first one asks the command to stop and keep what it has; the second ends the process.
import { ArchiverError } from '../core/errors.js';

/** 128 and the number of the signal, as shells report it. */
const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Name = keyof typeof STATUS;
const NAMES: readonly Name[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

export interface SignalSource {
  on(name: Name, listener: (name: Name) => void): unknown;
  off(name: Name, listener: (name: Name) => void): unknown;
}

/** Aborts `signal` at the first interruption and calls `endNow` at the second. */
export function interruptions(
  source: SignalSource,
  endNow: (status: number) => void,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const onSignal = (name: Name): void => {
    const exitCode = STATUS[name];
    if (controller.signal.aborted) endNow(exitCode);
    else
      controller.abort(new ArchiverError('cancelled', name === 'SIGINT' ? 'interrupted' : 'terminated', { exitCode }));
  };
  for (const name of NAMES) source.on(name, onSignal);
  const release = (): void => {
    for (const name of NAMES) source.off(name, onSignal);
  };
  return { signal: controller.signal, release };
}

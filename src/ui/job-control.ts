// Ctrl+Z and its signals. Who holds the terminal (its modes, a frame on it) gives it back before the process stops, so that the shell finds
// it as it was, and takes it again when the process goes on. Without holders signals do what they do by themselves.
import { readFileSync } from 'node:fs';

/** Something that has to be undone on the terminal while the process is stopped. */
export interface Hold {
  readonly giveBack: () => void;
  /** Also called after a stop that could not be noticed (SIGSTOP), without `giveBack` before it. */
  readonly takeAgain: () => void;
}

/** The latest first: keys, which are read on top of a screen, are given back before it, and taken before it is drawn. */
let holds: readonly Hold[] = [];

const takeAll = (): void => holds.forEach(({ takeAgain }) => takeAgain());

function stop(): void {
  holds.forEach(({ giveBack }) => giveBack());
  // Without a listener the signal stops the process, which goes on in the next line. Where no shell could continue it (the process is the
  // terminal's only one), it does nothing.
  process.off('SIGTSTP', stop);
  process.kill(process.pid, 'SIGTSTP');
  process.on('SIGTSTP', stop);
  takeAll();
}

/** Holds the terminal until the returned function is called. */
export function holdTerminal(hold: Hold): () => void {
  if (holds.length === 0) process.on('SIGTSTP', stop).on('SIGCONT', takeAll);
  holds = [hold, ...holds];
  return () => {
    holds = holds.filter((one) => one !== hold);
    if (holds.length === 0) process.off('SIGTSTP', stop).off('SIGCONT', takeAll);
  };
}

/** The key for `stopJob`, which is for no screen. */
export const STOP_KEY = 'ctrl+z';

/** Stops this process and those that were started with it, as the terminal does at ctrl+z where it is not in raw mode. */
export const stopJob = (): void => void process.kill(0, 'SIGTSTP');

/** True unless the shell has the terminal, as after `bg`. Linux tells; elsewhere it is always true. */
export function isInForeground(): boolean {
  let stat: string;
  try {
    stat = readFileSync('/proc/self/stat', 'latin1');
  } catch {
    return true;
  }
  // Behind the name, which may hold anything: state, parent, group, session, terminal, the terminal's foreground group (-1 without one).
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return foreground === '-1' || foreground === group;
}

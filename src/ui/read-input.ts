// Reads a terminal's input into a key source. Stdin belongs to it alone: Ink gets an input that is never used.
import type { Readable } from 'node:stream';
import { holdTerminal, STOP_KEY, stopJob } from './job-control.js';
import type { KeySource } from './keys.js';
import type { TerminalStream } from './terminal.js';

/** A terminal input with keys. */
export type KeyInput = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** Written to the terminal before and after reading, so that it marks pasted text. */
const PASTE_MARKS_ON = '\u001b[?2004h';
const PASTE_MARKS_OFF = '\u001b[?2004l';

export interface InputTerminal {
  readonly stdin: KeyInput;
  readonly stdout: TerminalStream;
}

/**
 * Puts the terminal into raw mode and passes input to `keys` until the returned function is called. `onEnd` is called when no more input
 * can come: the terminal is gone, or ctrl+d was typed while it was not in raw mode.
 */
export function readInto(
  keys: KeySource,
  { stdin, stdout }: InputTerminal,
  onEnd: () => void = () => undefined,
): () => void {
  const onData = (chunk: Buffer | string): void => keys.write(chunk);
  const giveBack = (): void => {
    keys.reset();
    stdin.pause();
    stdin.setRawMode?.(false);
    stdout.write(PASTE_MARKS_OFF);
  };
  const take = (): void => {
    // In the background the kernel stops the process here, until it has the terminal.
    stdin.setRawMode?.(true);
    stdout.write(PASTE_MARKS_ON);
    if (stdin.readableEnded) onEnd();
    else stdin.resume();
  };
  stdin.on('data', onData);
  stdin.on('end', onEnd);
  const takeAgain = (): void => {
    // Node sets a mode only when it was another one before, as far as it knows.
    stdin.setRawMode?.(false);
    take();
  };
  const unsubscribe = keys.subscribe(({ id }) => id === STOP_KEY && stopJob());
  const release = holdTerminal({ giveBack, takeAgain });
  take();
  return () => {
    release();
    unsubscribe();
    stdin.off('data', onData);
    stdin.off('end', onEnd);
    giveBack();
  };
}

// Reads a terminal's input into a key source. Stdin is ours alone: Ink gets an input that is never used.
import type { Readable } from 'node:stream';
import type { KeySource } from './keys.js';

/** A terminal that keys come from. */
export type KeyInput = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** To be written to the terminal around reading: it then marks what is pasted. */
export const PASTE_MARKS_ON = '\u001b[?2004h';
export const PASTE_MARKS_OFF = '\u001b[?2004l';

/**
 * Puts the terminal into raw mode and gives `keys` what is typed until the function that it returns is called. `onEnd` is
 * called when no more can come: the terminal is gone, or ctrl+d was typed while it was not in raw mode.
 */
export function readInto(keys: KeySource, input: KeyInput, onEnd: () => void = () => undefined): () => void {
  const onData = (chunk: Buffer | string): void => keys.write(chunk);
  input.setRawMode?.(true);
  input.on('data', onData);
  input.on('end', onEnd);
  if (input.readableEnded) onEnd();
  else input.resume();
  return () => {
    input.off('data', onData);
    input.off('end', onEnd);
    keys.reset();
    input.pause();
    input.setRawMode?.(false);
  };
}

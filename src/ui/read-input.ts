// Reads a terminal's input into a key source. Stdin belongs to it alone: Ink gets an input that is never used.
import type { Readable } from 'node:stream';
import type { KeySource } from './keys.js';

/** A terminal input with keys. */
export type KeyInput = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** Written to the terminal before and after reading, so that it marks pasted text. */
export const PASTE_MARKS_ON = '\u001b[?2004h';
export const PASTE_MARKS_OFF = '\u001b[?2004l';

/**
 * Puts the terminal into raw mode and passes input to `keys` until the returned function is called. `onEnd` is called when no more input
 * can come: the terminal is gone, or ctrl+d was typed while it was not in raw mode.
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

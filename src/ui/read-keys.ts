// Keys from a terminal, as they are typed. Stdin is ours alone: Ink gets an input that is never used.
import type { Readable } from 'node:stream';
import { type Key, KeyDecoder } from './key-decoder.js';

export type { Key, KeyName } from './key-decoder.js';

/** A terminal that keys come from. */
export type KeyInput = Readable & {
  readonly isTTY?: boolean;
  readonly setRawMode?: (isRaw: boolean) => unknown;
};

/** To be written to the terminal around `readKeys`: it then marks what is pasted. */
export const PASTE_MARKS_ON = '\u001b[?2004h';
export const PASTE_MARKS_OFF = '\u001b[?2004l';

// Sequences come in one piece or nearly so; a person who pressed escape should not notice.
const ESCAPE_MS = 50;

/**
 * Puts the terminal into raw mode and calls `onKey` for every key until the function that it returns is called. `onEnd`
 * is called when no more can come: the terminal is gone, or ctrl+d was typed while it was not in raw mode.
 */
export function readKeys(input: KeyInput, onKey: (key: Key) => void, onEnd: () => void = () => undefined): () => void {
  const decoder = new KeyDecoder();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => decoder.flush().forEach(onKey);
  const onData = (bytes: Buffer | string): void => {
    clearTimeout(timer);
    decoder.push(Buffer.from(bytes)).forEach(onKey);
    if (decoder.isWaiting) timer = setTimeout(flush, ESCAPE_MS);
  };
  input.setRawMode?.(true);
  input.on('data', onData);
  input.on('end', onEnd);
  if (input.readableEnded) onEnd();
  else input.resume();
  return () => {
    clearTimeout(timer);
    input.off('data', onData);
    input.off('end', onEnd);
    input.pause();
    input.setRawMode?.(false);
  };
}

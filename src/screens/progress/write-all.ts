import type { Writable } from 'node:stream';

/** Writes and waits until it has left the process; a reader that went away is not an error for a display. */
export async function writeAll(stream: Writable, text: string): Promise<void> {
  if (text === '' || stream.destroyed || stream.writableEnded) return;
  await new Promise<void>((resolve) => {
    stream.write(text, () => resolve());
  });
}

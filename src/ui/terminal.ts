import type { Writable } from 'node:stream';

/** An output stream that may be a terminal. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

const ERASE_SCROLLBACK = '\u001b[3J';

/** The text minus CSI 3J, which wipes what the user has scrolled past. */
export const withoutScrollbackErasure = (text: string): string => text.replaceAll(ERASE_SCROLLBACK, '');

/**
 * The same stream for Ink to draw on, minus CSI 3J: Ink 6.8 sends it when a frame was taller than the window has become,
 * and it wipes what the user has scrolled past.
 */
export function keepScrollback(stream: TerminalStream): NodeJS.WriteStream {
  const write = (text: string, done?: () => void): boolean => stream.write(withoutScrollbackErasure(text), done);
  const kept: unknown = new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  return kept as NodeJS.WriteStream;
}

/** The codes that erase a frame of `height` lines above the cursor and leave the cursor where the frame began. */
export function eraseFrame(height: number): string {
  return `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(height)}`;
}

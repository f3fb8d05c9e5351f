import type { Writable } from 'node:stream';

/** An output stream that may be a terminal. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

const ERASE_SCROLLBACK = '\u001b[3J';

/** The text without CSI 3J, which would erase the scrollback. */
export const withoutScrollbackErasure = (text: string): string => text.replaceAll(ERASE_SCROLLBACK, '');

/** The codes that erase a frame of `height` lines above the cursor and leave the cursor at its start. */
export function eraseFrame(height: number): string {
  return `\r\u001b[2K${'\u001b[1A\u001b[2K'.repeat(height)}`;
}

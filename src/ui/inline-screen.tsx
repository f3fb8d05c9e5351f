// A frame below earlier output, which is removed at the end: for progress, or a prompt. It reads no keys by itself; a screen that needs
// keys passes their source.
import type { ReactNode } from 'react';
import { openCanvas } from './canvas.js';
import { draw } from './draw.js';
import { createKeySource, type KeySource } from './keys.js';
import type { Look } from './look.js';
import type { TerminalStream } from './terminal.js';

export interface InlineOptions {
  /** The stream to draw on; progress is drawn on stderr. */
  readonly stdout: TerminalStream;
  readonly look: Look;
  readonly keys?: KeySource;
  /** Called with an error thrown by a component; `leave` throws it as well. */
  readonly onError?: (error: unknown) => void;
}

export interface InlineScreen {
  /**
   * Removes the frame and writes `instead` in its place; resolves when that is written. Output of `<Static>` stays.
   * @throws an error thrown by a component
   */
  readonly leave: (instead?: string) => Promise<void>;
}

/** Starts to draw inline. */
export function openInline(
  children: ReactNode,
  { stdout, look, keys = createKeySource(), onError }: InlineOptions,
): InlineScreen {
  const canvas = openCanvas(stdout, 'inline');
  const failures: unknown[] = [];
  const onDrawError = (error: unknown): void => {
    failures.push(error);
    onError?.(error);
  };
  const drawing = draw(children, { canvas, keys, look, onError: onDrawError });
  let leaving: Promise<void> | undefined;
  const end = async (instead: string): Promise<void> => {
    drawing.end();
    const text = canvas.erasure() + instead;
    canvas.close();
    // A stream that is gone calls back as well, with its error, which its owner gets by an event.
    await new Promise<void>((resolve) => void stdout.write(text, () => resolve()));
    if (failures.length > 0) throw failures[0];
  };
  return { leave: (instead = '') => (leaving ??= end(instead)) };
}

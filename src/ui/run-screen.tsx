// A screen that takes the whole terminal: the alternate buffer is entered before the first frame and left on every path out (done, failure,
// signal, exit of the process), so that the terminal is restored.
import type { ReactNode } from 'react';
import { openCanvas } from './canvas.js';
import { draw } from './draw.js';
import { createKeySource } from './keys.js';
import type { Look } from './look.js';
import { type InputTerminal, readInto } from './read-input.js';
import { isTooSmall } from './screen.js';

export interface ScreenOptions extends InputTerminal {
  readonly look: Look;
  /** Ends the screen. */
  readonly signal?: AbortSignal;
}

/** The only keys that are accepted while the window is too small for a frame. */
const QUIT_KEYS = ['q', 'ctrl+c'];

/** Shows a full screen until `quit` is called or the signal aborts. @throws errors of a component or a key */
export async function runScreen(screen: (quit: () => void) => ReactNode, options: ScreenOptions): Promise<void> {
  const { look, signal } = options;
  if (signal?.aborted === true) return;
  const { promise: left, resolve: quit, reject: fail } = withResolvers();
  const canvas = openCanvas(options.stdout, 'full-screen');
  const keys = createKeySource({
    accepts: (key) => !isTooSmall(canvas.size.get()) || QUIT_KEYS.includes(key.id),
    onError: fail,
  });
  // Before the first frame: keys typed as soon as that is seen must not meet a terminal that edits lines itself. Nothing is read before
  // this turn is over.
  const stopKeys = readInto(keys, options);
  const drawing = draw(screen(quit), { canvas, keys, look, onError: fail });
  let hasLeft = false;
  const leave = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    process.off('exit', leave);
    process.off('uncaughtException', leave);
    signal?.removeEventListener('abort', quit);
    stopKeys();
    drawing.end();
    canvas.close();
  };
  process.on('exit', leave);
  // Before the listener that prints the error: nobody would see output on the alternate buffer.
  process.prependListener('uncaughtException', leave);
  signal?.addEventListener('abort', quit);
  try {
    await left;
  } finally {
    leave();
  }
}

interface Resolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function withResolvers(): Resolvers {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

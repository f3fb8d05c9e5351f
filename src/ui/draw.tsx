// Draws a tree of components with Ink on a terminal, and reports errors in it. Ink reads no keys and handles no signals here: keys come
// from a key source, signals are handled by the framework.
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { Component, type ReactElement, type ReactNode } from 'react';
import type { Canvas } from './canvas.js';
import type { KeySource } from './keys.js';
import { Kit } from './kit.js';
import type { Look } from './look.js';

export interface Drawing {
  /** Draws pending changes, then stops drawing. */
  readonly end: () => void;
}

export interface DrawOptions {
  readonly canvas: Canvas;
  readonly keys: KeySource;
  readonly look: Look;
  /** Called once with an error thrown by a component; nothing is drawn after that. */
  readonly onError: (error: unknown) => void;
}

/** Starts to draw. */
export function draw(children: ReactNode, { canvas, keys, look, onError }: DrawOptions): Drawing {
  const element = (
    <Guard onError={onError}>
      <Kit keys={keys} size={canvas.size} look={look}>
        {children}
      </Kit>
    </Guard>
  );
  const app = render(element, {
    stdout: canvas.stdout,
    stdin: unusedInput(),
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  });
  return {
    end() {
      // Draws changes since the last frame first: `rerender` makes Ink do it now.
      app.rerender(element);
      app.unmount();
    },
  };
}

interface GuardProps {
  readonly onError: (error: unknown) => void;
  readonly children: ReactElement;
}

class Guard extends Component<GuardProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}

/** An input for Ink that is never used: keys are read by `readKeys`, or not at all. */
function unusedInput(): NodeJS.ReadStream {
  const input: unknown = new PassThrough();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink only looks for isTTY
  return input as NodeJS.ReadStream;
}

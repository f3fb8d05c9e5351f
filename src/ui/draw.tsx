// Draws a tree of components with Ink on a terminal, and tells of what fails in it. Ink reads no keys and hears of no
// signal here: keys come from a key source, signals are the framework's.
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { Component, type ReactElement, type ReactNode } from 'react';
import type { Canvas } from './canvas.js';
import type { KeySource } from './keys.js';
import { Kit } from './kit.js';
import type { Look } from './look.js';

export interface Drawing {
  /** Draws what is still to be drawn, and no more. */
  readonly end: () => void;
}

export interface DrawOptions {
  readonly canvas: Canvas;
  readonly keys: KeySource;
  readonly look: Look;
  /** Told once what a component threw; nothing is drawn after that. */
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
      // What came after the last frame is drawn first: `rerender` is the way to make Ink do it now.
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

// A screen that takes the whole terminal: the alternate buffer is entered before the first frame and left on every path
// out (done, failure, signal, the end of the process), so that the terminal is as it was. Keys are read by us; Ink draws.
import { render, Transform } from 'ink';
import type { ReactElement } from 'react';
import type { Key } from './key-decoder.js';
import { clipLine, paintLine, type Line } from './toned-line.js';
import { glyphsFor } from './glyphs.js';
import type { Look } from './look.js';
import { PASTE_MARKS_OFF, PASTE_MARKS_ON, readKeys, type KeyInput } from './read-keys.js';
import { keepScrollback, type TerminalStream } from './terminal.js';
import { padStart, textWidth } from './text-width.js';
import { unusedInput } from './unused-input.js';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FullScreenOptions {
  readonly stdin: KeyInput;
  readonly stdout: TerminalStream;
  readonly look: Look;
  /** The frame: at most `rows - 1` lines, each within `columns` (what is more is cut). */
  readonly frame: (size: ScreenSize) => readonly Line[];
  readonly onKey: (key: Key) => void;
  /** The window is too small for a frame: only these keys are passed on. */
  readonly quitKeys: readonly string[];
}

export interface FullScreen {
  /** Draws anew once what is under way is done; Ink writes at most thirty frames a second. */
  readonly redraw: () => void;
  /** Rejects when drawing or a key fails; else it stays pending. */
  readonly failed: Promise<never>;
  /** Gives the terminal back. */
  readonly leave: () => void;
}

export const SMALLEST: ScreenSize = { columns: 60, rows: 15 };

const ENTER = `\u001b[?1049h\u001b[H${PASTE_MARKS_ON}`;
const LEAVE = `${PASTE_MARKS_OFF}\u001b[?1049l\u001b[?25h`;

/** Takes over the terminal and draws until `leave` is called. */
export function openFullScreen({ stdin, stdout, look, frame, onKey, quitKeys }: FullScreenOptions): FullScreen {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  failed.catch(() => undefined); // whoever waits for it hears of it
  // A terminal that does not tell its size (0x0 over some serial lines) gets the classic one.
  const size = (): ScreenSize => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const isTooSmall = (): boolean => size().columns < SMALLEST.columns || size().rows < SMALLEST.rows;
  const guarded = <T,>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      fail(error);
      return otherwise;
    }
  };
  const element = (): ReactElement => {
    const now = size();
    const lines = guarded(() => (isTooSmall() ? tooSmallLines(now) : frame(now)), []);
    return <Frame lines={fitted(lines, now, look)} />;
  };
  const draw = (): void => app.rerender(element());
  // Many keys may come at once (one that is held, over a slow line): one frame shows them all.
  let scheduled: NodeJS.Immediate | undefined;
  const redraw = (): void => {
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      draw();
    });
  };

  stdout.write(ENTER);
  // Before `render`, so that it comes before Ink's own listener: Ink must not draw the old frame in the new width.
  stdout.on('resize', draw);
  const app = render(element(), {
    stdout: keepScrollback(stdout),
    stdin: unusedInput(),
    exitOnCtrlC: false,
    patchConsole: false,
    isScreenReaderEnabled: false,
  });
  const stopKeys = readKeys(stdin, (key) => {
    if (isTooSmall() && !quitKeys.includes(key.name === 'text' ? key.text : key.name)) return;
    guarded(() => onKey(key), undefined);
  });
  let hasLeft = false;
  const leave = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    process.off('exit', leave);
    process.off('uncaughtException', leave);
    stdout.off('resize', draw);
    stopKeys();
    clearImmediate(scheduled);
    app.unmount();
    stdout.write(LEAVE);
  };
  process.on('exit', leave);
  // Before the one that prints the error: nobody would see what is printed on the alternate buffer.
  process.prependListener('uncaughtException', leave);
  return { redraw, failed, leave };
}

function tooSmallLines({ columns, rows }: ScreenSize): Line[] {
  const sentences = [
    `archiver needs ${SMALLEST.columns}x${SMALLEST.rows}; this is ${columns}x${rows}.`,
    'Make the window larger, or q to quit.',
  ];
  const above = Math.max(0, Math.floor((rows - 1 - sentences.length) / 2));
  const centred = sentences.map((text) => [
    { text: padStart(text, Math.max(textWidth(text), Math.floor((columns + textWidth(text)) / 2))) },
  ]);
  return [...Array.from({ length: above }, () => [{ text: '' }]), ...centred];
}

const fitted = (lines: readonly Line[], { columns, rows }: ScreenSize, look: Look): string[] =>
  lines
    .slice(0, Math.max(1, rows - 1))
    .map((line) => paintLine(clipLine(line, columns, glyphsFor(look).ellipsis), look));

/** Ink never forgets a text it has measured, so it measures a placeholder of the same height: see progress-view.tsx. */
function Frame({ lines }: { readonly lines: readonly string[] }): ReactElement {
  return <Transform transform={(_, index) => lines[index] ?? ''}>{Array(lines.length).fill('.').join('\n')}</Transform>;
}

// The stream that Ink draws on. It handles cases that Ink does not:
// - CSI 3J, which Ink sends when a frame was taller than the window is now, would erase the scrollback.
// - A terminal that became narrower has broken the lines of an inline frame in two. Ink erases as many rows as it drew, so
//   the others would stay as ghosts: they are erased with it.
// - While the process is stopped (ctrl+z), or the shell has the terminal (bg), there is no frame on it.
// - Other output while an inline frame is shown (a warning) would be taken for a part of it: it goes above.
// - Ink draws nothing when the frame is the same as before, but a full screen of another size has to be drawn anew.
import { stripVTControlCharacters } from 'node:util';
import type { Size, SizeSource } from './size.js';
import { holdTerminal, isInForeground } from './job-control.js';
import { eraseFrame, type TerminalStream, withoutScrollbackErasure } from './terminal.js';
import { widthOf } from './text.js';

export interface Canvas {
  /** The stream for Ink. It is never notified of a resize: Ink would first draw the old frame in the new width. */
  readonly stdout: NodeJS.WriteStream;
  readonly size: SizeSource;
  /** The codes that erase the frame with all rows that it takes now. */
  readonly erasure: () => string;
  /** Stops listening. */
  readonly close: () => void;
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
/** Written when a frame comes to the terminal, and when it goes. */
const MODES = {
  'full-screen': { enter: '\u001b[?1049h\u001b[H', leave: `\u001b[?1049l${SHOW_CURSOR}` },
  inline: { enter: '', leave: SHOW_CURSOR },
} as const;
const ERASE_LINE = '\u001b[2K';
const CLEAR_SCREEN = '\u001b[2J\u001b[H';
/** Matches the codes with which Ink's log begins a frame: rows erased upwards. */
// oxlint-disable-next-line no-control-regex
const ERASURE = /^(?:\x1b\[2K(?:\x1b\[1A)?)*(?:\x1b\[G)?/;
/** Matches codes that switch a mode on or off (the cursor, synchronized updates): no frame. */
// oxlint-disable-next-line no-control-regex
const MODE = /^(?:\x1b\[\?\d+[hl])*$/;
/** Ink draws at most thirty times a second, and then writes the output one timer later. */
const REDRAW_MS = 50;
/** Time between looks whether the terminal is ours again after `bg`. */
const LOOK_MS = 500;

const sizeOf = ({ columns, rows }: TerminalStream): Size =>
  // A terminal that does not report its size (0x0 over some serial lines) gets the classic one.
  ({ columns: columns || 80, rows: rows || 24 });

export type CanvasKind = keyof typeof MODES;

/** Wraps a terminal as a stream that Ink draws on. A full screen has the alternate buffer until it is closed. */
export function openCanvas(stream: TerminalStream, kind: CanvasKind): Canvas {
  let size = sizeOf(stream);
  /** The text that was drawn last, and whether the whole screen must be drawn again. */
  let frame = '';
  let isStale = false;
  let timer: NodeJS.Timeout | undefined;
  /** True while the frame is not on the terminal, which is the shell's. */
  let isAway = false;
  const { enter, leave } = MODES[kind];

  /** Number of rows beyond the lines of the frame, at the current width. */
  const brokenRows = (): number =>
    linesOf(frame).reduce((rows, line) => rows + Math.max(0, Math.ceil(widthOf(line) / size.columns) - 1), 0);
  const fitted = (text: string): string => {
    const body = text.replace(ERASURE, '');
    const hasErasure = text.startsWith(ERASE_LINE);
    const more = kind === 'inline' && hasErasure ? `\u001b[1A${ERASE_LINE}`.repeat(brokenRows()) : '';
    if (hasErasure || body !== '') frame = body;
    if (!isStale || body === '') return more + text;
    isStale = false;
    return CLEAR_SCREEN + body;
  };
  const erasure = (): string => (isAway ? '' : eraseFrame(linesOf(frame).length + brokenRows()));
  const put = stream.write.bind(stream);
  /** Takes what Ink draws while there is no frame. Text that no frame replaces (a note) stays, and so is written. */
  const keep = (text: string, done?: () => void): boolean => {
    if (!MODE.test(text)) {
      if (!text.startsWith(ERASE_LINE)) put(frame);
      frame = text.replace(ERASURE, '');
    }
    return put('', done);
  };
  const write = (text: string, done?: () => void): boolean => {
    if (isAway) return keep(text, done);
    refreshSize(stream);
    return put(MODE.test(text) ? text : fitted(withoutScrollbackErasure(text)), done);
  };

  const writeAbove = (text: string | Uint8Array, ...more: []): boolean => {
    if (frame === '' || isAway || MODE.test(text.toString())) return put(text, ...more);
    refreshSize(stream);
    put(erasure());
    const hasRoom = put(text, ...more);
    if (!text.toString().endsWith('\n')) put('\n');
    put(frame);
    return hasRoom;
  };
  if (kind === 'inline') Reflect.set(stream, 'write', writeAbove);

  const redraw = (): void => {
    if (isStale) write(frame);
  };

  const listeners = new Set<() => void>();
  const onResize = (): void => {
    size = sizeOf(stream);
    isStale = kind === 'full-screen';
    clearTimeout(timer);
    listeners.forEach((listener) => listener());
    // Two waits, because in a busy process the first may be over before Ink's second timer has begun.
    timer = setTimeout(() => {
      timer = setTimeout(redraw, REDRAW_MS).unref();
    }, REDRAW_MS).unref();
  };
  stream.on('resize', onResize);

  let looking: NodeJS.Timeout | undefined;
  const giveBack = (): void => {
    clearTimeout(looking);
    put((kind === 'inline' ? erasure() : '') + leave);
    isAway = true;
  };
  const takeAgain = (): void => {
    clearTimeout(looking);
    // Work goes on after `bg`; only its frame waits. After a stop that was not noticed, an inline frame is where it was, or nobody knows.
    if (kind === 'inline' && !isAway) return;
    if (!isInForeground()) {
      looking = setTimeout(takeAgain, LOOK_MS).unref();
      return;
    }
    isAway = false;
    isStale = kind === 'full-screen';
    put(enter + HIDE_CURSOR);
    put(fitted(frame));
  };
  const release = holdTerminal({ giveBack, takeAgain });
  put(enter);
  return {
    stdout: inkStream(stream, write),
    size: {
      get: () => size,
      subscribe(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    erasure,
    close() {
      if (kind === 'inline') Reflect.deleteProperty(stream, 'write');
      clearTimeout(timer);
      clearTimeout(looking);
      stream.off('resize', onResize);
      release();
      put(leave);
    },
  };
}

/**
 * Updates the size before something is drawn, and emits a resize as the signal would. Node handles the signal after its timers: output of a
 * timer, on a busy machine, would not take into account that the lines above are already broken.
 */
function refreshSize(stream: TerminalStream): void {
  const refresh: unknown = Reflect.get(stream, '_refreshSize');
  if (typeof refresh === 'function') Reflect.apply(refresh, stream, []);
}

/** The lines of a frame; Ink ends each with a line feed. */
const linesOf = (frame: string): string[] =>
  frame === '' ? [] : stripVTControlCharacters(frame).split('\n').slice(0, -1);

function inkStream(stream: TerminalStream, write: (text: string, done?: () => void) => boolean): NodeJS.WriteStream {
  const kept: unknown = new Proxy(stream, {
    get(target, key, proxy) {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'on' || key === 'off')
        return (event: string, listener: () => void): unknown =>
          event === 'resize' ? proxy : target[key](event, listener);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  return kept as NodeJS.WriteStream;
}

// The built program in a real pseudo terminal, and what a person sees of it.
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TerminalSession {
  /** Everything that was written. */
  readonly written: () => string;
  /** The rows of the screen as they are now, without spaces at their ends; of the alternate buffer while that is shown. */
  readonly screen: () => Promise<string[]>;
  /** The same with the rows that have left the screen at its top. */
  readonly history: () => Promise<string[]>;
  /** The rows that the terminal had to continue below, because they are longer than it is wide. */
  readonly tooLong: () => Promise<string[]>;
  /** The screen with its colours. */
  readonly cells: () => Promise<readonly (readonly Cell[])[]>;
  readonly isAlternate: () => Promise<boolean>;
  readonly isCursorShown: () => boolean;
  /** Waits until a row holds the text, or the screen is as wanted. */
  readonly until: (wanted: string | RegExp | ((lines: string[]) => boolean)) => Promise<string[]>;
  /** Waits until no row holds the text. */
  readonly untilGone: (text: string) => Promise<string[]>;
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly exited: Promise<number>;
}

/** A character, one or two columns wide. Colours are `#rrggbb`, an index of the palette, or undefined for the terminal's own. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly colour: string | number | undefined;
  readonly background: string | number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

export interface SessionOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The program; `node` without it. */
  readonly file?: string;
}

const TRIES = 600;
const LOOK_MS = 20;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Starts a program with these arguments. */
export function openSession(args: readonly string[], options: SessionOptions): TerminalSession {
  const { cwd, env, columns = 80, rows = 24, file = process.execPath } = options;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const child = spawn(file, [...args], {
    cols: columns,
    rows,
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
  });
  let written = '';
  child.onData((data) => {
    written += data;
    terminal.write(data);
  });
  const flushed = (): Promise<void> => new Promise((resolve) => terminal.write('', resolve));
  const linesFrom = (first: number, count: number): string[] => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: count }, (_, row) => active.getLine(first + row)?.translateToString(true) ?? '');
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  };
  const screen = async (): Promise<string[]> => {
    await flushed();
    return linesFrom(terminal.buffer.active.baseY, terminal.rows);
  };
  const lookFor = async (isRight: (lines: string[]) => boolean, what: string): Promise<string[]> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const lines = await screen();
      if (isRight(lines)) return lines;
      await sleep(LOOK_MS);
    }
    throw new Error(`${what} in:\n${(await screen()).join('\n')}`);
  };
  return {
    written: () => written,
    screen,
    history: async () => {
      await flushed();
      return linesFrom(0, terminal.buffer.active.length);
    },
    async tooLong() {
      await flushed();
      const rows = linesFrom(0, terminal.buffer.active.length);
      return rows.filter((_, row) => terminal.buffer.active.getLine(row + 1)?.isWrapped === true);
    },
    async cells() {
      await flushed();
      const { active } = terminal.buffer;
      return Array.from({ length: terminal.rows }, (_, row) => cellsOf(active.getLine(active.baseY + row)));
    },
    isAlternate: async () => {
      await flushed();
      return terminal.buffer.active.type === 'alternate';
    },
    isCursorShown: () => written.lastIndexOf('\u001b[?25h') > written.lastIndexOf('\u001b[?25l'),
    until: (wanted) =>
      lookFor(
        typeof wanted === 'function'
          ? wanted
          : (lines) => lines.some((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line))),
        `never saw ${String(wanted)}`,
      ),
    untilGone: (text) => lookFor((lines) => !lines.some((line) => line.includes(text)), `still ${text}`),
    type: (keys) => child.write(keys),
    resize: (columns, rows) => {
      terminal.resize(columns, rows);
      child.resize(columns, rows);
    },
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    exited: new Promise((resolve) => child.onExit(({ exitCode }) => resolve(exitCode))),
  };
}

function cellsOf(line: xterm.IBufferLine | undefined): readonly Cell[] {
  return Array.from({ length: line?.length ?? 0 }, (_, column) => line?.getCell(column)).flatMap((cell) => {
    if (cell === undefined || cell.getWidth() === 0) return [];
    const colour = (isDefault: boolean, isRgb: boolean, value: number): Cell['colour'] =>
      isDefault ? undefined : isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
    return {
      text: cell.getChars() || ' ',
      width: cell.getWidth(),
      colour: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
      background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isInverse: cell.isInverse() !== 0,
    };
  });
}

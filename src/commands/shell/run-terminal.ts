// A shell on a terminal: prompt, history, completion. Ctrl+C ends only the line that runs.
import { join, dirname } from 'node:path';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import type { Context } from '../../cli/context.js';
import { cancelledError, systemCode } from '../../core/platform/failures/errors.js';
import type { Interpreter } from '../../core/shell/interpreter.js';
import { isWorthKeeping, MAX_HISTORY } from '../../stores/shell-history.js';
import { createShellStore } from '../../stores/shell-store.js';
import { lookOf } from '../../ui/look.js';
import { type LineResult, runLine } from './run-line.js';
import { replaceFile } from '../../core/platform/state/replace-file.js';
import { reasonText } from '../../core/platform/failures/errno.js';

const DEFAULT_COLUMNS = 80;

/** Runs lines until the user leaves. @throws the reason when the session is ended from outside */
export async function runTerminal(interpreter: Interpreter, context: Context): Promise<number> {
  // Between a line and the next prompt, Ctrl+C arrives as a signal, not as a key.
  const release = context.captureInterrupt(() => undefined);
  try {
    return await talk(interpreter, context);
  } finally {
    release();
  }
}

async function talk(interpreter: Interpreter, context: Context): Promise<number> {
  const { stdin, stdout, signal, colors, env } = context;
  const { createShellScreen } = await import('../../screens/shell/shell-screen.js');
  const history = await HistoryFile.open(join(context.home, 'shell-history'), (text) => context.debug(text));
  const store = createShellStore({
    history: history.lines,
    complete: (text, cursor) => interpreter.complete(text, cursor),
  });
  const screen = createShellScreen({ store, stdin, stdout, look: lookOf(colors.stdout, env), signal });
  await context.print(`${interpreter.banner()}\n`);
  let status = 0;
  for (;;) {
    const before = store.getState().history;
    const line = await screen.readLine(interpreter.prompt());
    if (line === undefined) break;
    if (isWorthKeeping(before, line)) await history.add(line);
    const result = await runInterruptible(line, status, { interpreter, context });
    if (result.isExit || signal.aborted) break;
    ({ status } = result);
    stdout.write(freshLine(stdout.columns || DEFAULT_COLUMNS));
  }
  signal.throwIfAborted();
  return 0;
}

async function runInterruptible(
  line: string,
  lastStatus: number,
  { interpreter, context }: { readonly interpreter: Interpreter; readonly context: Context },
): Promise<LineResult> {
  const { stdin, stdout, stderr } = context;
  const stopping = new AbortController();
  const release = context.captureInterrupt(() => stopping.abort(cancelledError('interrupted')));
  try {
    const signal = AbortSignal.any([context.signal, stopping.signal]);
    const streams = { stdin, stdout, stderr, signal };
    return await runLine(line, { interpreter, context, streams, lastStatus });
  } finally {
    release();
  }
}

/**
 * Moves to the beginning of a line, whatever was printed, by programs too: a mark and enough spaces to fill a line wrap to the next one,
 * unless the cursor was at the beginning. zsh does the same.
 */
const freshLine = (columns: number): string => `\u001b[7m%\u001b[27m${' '.repeat(columns - 1)}\r\u001b[K`;

// `<archiver home>/shell-history`: the lines of earlier sessions, one per line. Lines are appended as they are run, so that several shells
// at once lose none of them. History is a convenience: a file that cannot be read or written is no reason to stop.

export class HistoryFile {
  private constructor(
    private readonly path: string,
    readonly lines: readonly string[],
    private readonly onTrouble: (text: string) => void,
  ) {}

  /** Reads the file. Once it has more than two thousand lines, all but the last thousand are removed. */
  static async open(path: string, onTrouble: (text: string) => void): Promise<HistoryFile> {
    const lines = await readLines(path, onTrouble);
    const file = new HistoryFile(path, lines.slice(-MAX_HISTORY), onTrouble);
    if (lines.length > 2 * MAX_HISTORY) await file.guarded(() => replaceFile(path, `${file.lines.join('\n')}\n`));
    return file;
  }

  /** Appends a line. */
  async add(line: string): Promise<void> {
    await this.guarded(async () => {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await appendFile(this.path, `${line}\n`, { mode: 0o600 });
    });
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.onTrouble(`the history is not kept: ${reasonText(error)}`);
    }
  }
}

async function readLines(path: string, onTrouble: (text: string) => void): Promise<string[]> {
  try {
    const text = await readFile(path, 'utf8');
    // oxlint-disable-next-line no-control-regex -- whatever else has come into the file must not reach the terminal
    return text.split('\n').filter((line) => line !== '' && !/[\x00-\x1f\x7f-\x9f]/.test(line));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') onTrouble(`the history is not read: ${reasonText(error)}`);
    return [];
  }
}

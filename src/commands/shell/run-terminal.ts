// A shell on a terminal: prompt, history, completion. Ctrl+C ends only the line that runs.
import { join } from 'node:path';
import type { Context } from '../../cli/context.js';
import { cancelledError } from '../../core/platform/failures/errors.js';
import type { Interpreter } from '../../core/shell/interpreter.js';
import { isWorthKeeping } from '../../stores/shell-history.js';
import { createShellStore } from '../../stores/shell-store.js';
import { lookOf } from '../../ui/look.js';
import { HistoryFile } from './history-file.js';
import { type LineResult, runLine } from './run-line.js';

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

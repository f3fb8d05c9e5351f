// A shell without a terminal: lines come from stdin or from --command, nothing is prompted for, and a line that fails does
// not keep the next from running.
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Context } from '../../cli/context.js';
import type { Interpreter } from '../../core/shell/interpreter.js';
import { runLine } from './run-line.js';

/** Runs the lines; the exit status is that of the last. */
export async function runScript(interpreter: Interpreter, lines: readonly string[], context: Context): Promise<number> {
  const { stdout, stderr, signal } = context;
  const source = lines.length > 0 ? lines : createInterface({ input: context.stdin, terminal: false });
  let status = 0;
  for await (const line of source) {
    // Commands must not eat the lines that follow.
    const streams = { stdin: new PassThrough().end(), stdout, stderr, signal };
    const result = await runLine(line, { interpreter, context, streams, lastStatus: status });
    signal.throwIfAborted();
    ({ status } = result);
    if (result.isExit) break;
  }
  return status;
}

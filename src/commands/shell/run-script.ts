// A shell without a terminal: it reads lines from stdin or --command, shows no prompt, and continues after a line that fails.
import { PassThrough } from 'node:stream';
import type { Context } from '../../cli/context.js';
import type { Interpreter } from '../../core/shell/interpreter.js';
import { runLine } from './run-line.js';

/** Runs the lines; returns the exit status of the last. */
export async function runScript(interpreter: Interpreter, lines: readonly string[], context: Context): Promise<number> {
  const { stdout, stderr, signal } = context;
  const source = lines.length > 0 ? lines : linesOf(context.stdin);
  let status = 0;
  for await (const line of source) {
    // Commands must not read the lines that follow.
    const streams = { stdin: new PassThrough().end(), stdout, stderr, signal };
    const result = await runLine(line, { interpreter, context, streams, lastStatus: status });
    signal.throwIfAborted();
    ({ status } = result);
    if (result.isExit) break;
  }
  return status;
}

/** Yields lines that end in "\n" or "\r\n". Node's readline also ends them at a lone "\r", which names may contain. */
async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of input) {
    const lines = (rest + (typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true }))).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

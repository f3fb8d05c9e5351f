// Runs one line of a shell and returns its exit status: commands, comments, pipes, files, and error messages.
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import { BrokenPipe } from '../../cli/checked-write.js';
import type { Context } from '../../cli/context.js';
import { failureOf, failureText } from '../../cli/errors.js';
import { reasonText } from '../../core/platform/failures/errno.js';
import { ArchiverError, isArchiverError, systemCode } from '../../core/platform/failures/errors.js';
import { throwIfCancelled } from '../../core/store/store-error.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { refuseUndecoded } from '../../core/platform/text/typed-path.js';
import { type CommandLine, parseLine } from '../../core/shell/command-line.js';
import type { Interpreter, ShellStreams } from '../../core/shell/interpreter.js';

export interface LineResult {
  readonly status: number;
  /** True if `exit` was called. */
  readonly isExit: boolean;
}

export interface LineOptions {
  readonly interpreter: Interpreter;
  readonly context: Pick<Context, 'cwd' | 'env' | 'colors' | 'trace' | 'signal'>;
  readonly streams: ShellStreams;
  /** Status of the previous line, for `exit` and for a line without commands. */
  readonly lastStatus: number;
}

/** Runs the commands of a line, each regardless of how the one before ended; never throws for their failures. */
export async function runLine(line: string, options: LineOptions): Promise<LineResult> {
  let result: LineResult = { status: options.lastStatus, isExit: false };
  try {
    refuseUndecoded(line, 'this line');
    for (const command of parseLine(line)) {
      result = await runOne(command, { ...options, lastStatus: result.status });
      if (result.isExit || options.streams.signal.aborted) break;
    }
    return result;
  } catch (error) {
    return reportFailure(error, options);
  }
}

async function runOne(command: CommandLine, options: LineOptions): Promise<LineResult> {
  const [first] = command.words;
  if (first?.text === 'exit' || first?.text === 'quit') return { status: options.lastStatus, isExit: true };
  try {
    return { status: await runCommand(command, options), isExit: false };
  } catch (error) {
    return reportFailure(error, options);
  }
}

function reportFailure(error: unknown, { streams, context }: LineOptions): LineResult {
  const failure = failureOf(error, streams.signal);
  // An error that ends the whole session is reported at its end.
  if (!context.signal.aborted)
    streams.stderr.write(failureText(failure, { color: context.colors.stderr, trace: context.trace }));
  return { status: failure.exitCode, isExit: false };
}

async function runCommand(command: CommandLine, options: LineOptions): Promise<number> {
  const { interpreter, streams } = options;
  throwIfCancelled(streams.signal);
  if (command.pipe !== undefined) return await runPiped(command, command.pipe, options);
  if (command.target !== undefined) return await runIntoFile(command, command.target, options);
  return await quietly(streams, () => interpreter.run(command.words, streams));
}

/** A reader that has gone away is no failure: neither for the output of this line, nor for that of the whole program. */
async function quietly(streams: ShellStreams, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const isUnread = streams.signal.aborted && !isArchiverError(streams.signal.reason);
    if (isUnread || error instanceof BrokenPipe) return 0;
    throw error;
  }
}

async function runIntoFile(
  { words }: CommandLine,
  { file, isAppended }: NonNullable<CommandLine['target']>,
  { interpreter, streams, context }: LineOptions,
): Promise<number> {
  const target = createWriteStream(resolve(context.cwd, file), { flags: isAppended ? 'a' : 'w' });
  const done = finished(target).catch((cause: unknown) => {
    const why = systemCode(cause) === 'ENOENT' ? 'there is no such folder' : reasonText(cause);
    throw new ArchiverError('io', `cannot write ${printable(file)}: ${why}`, { cause });
  });
  done.catch(() => undefined); // awaited below
  try {
    return await quietly(streams, () => interpreter.run(words, { ...streams, stdout: target }));
  } finally {
    target.end();
    await done;
  }
}

/** Pipes the output of the command into the program, which also has the terminal; its status counts, as in any shell. */
async function runPiped({ words }: CommandLine, program: string, options: LineOptions): Promise<number> {
  const { interpreter, streams, context } = options;
  const child = spawn('/bin/sh', ['-c', program], {
    cwd: context.cwd,
    env: { ...context.env },
    stdio: ['pipe', descriptor(streams.stdout), descriptor(streams.stderr)],
  });
  child.stdout?.pipe(streams.stdout, { end: false });
  child.stderr?.pipe(streams.stderr, { end: false });
  const exit = exitOf(child);
  exit.catch(() => undefined); // awaited below
  const input = child.stdin ?? streams.stdout;
  input.on('error', () => undefined); // the program stopped reading: the writer sees that the stream is closed
  // A process that the program has started may still hold the other end; nothing must wait until that is read.
  child.once('exit', () => input.destroy(brokenPipe()));
  // The terminal sends Ctrl+C to the program; whatever ends the whole shell must end it, too.
  const stop = (): void => void child.kill();
  context.signal.addEventListener('abort', stop);
  try {
    const status = await quietly(streams, () => interpreter.run(words, { ...streams, stdout: input }));
    input.end();
    return (await exit) || status;
  } finally {
    input.end();
    await exit;
    context.signal.removeEventListener('abort', stop);
  }
}

const brokenPipe = (): Error => Object.assign(new Error('the program has ended'), { code: 'EPIPE' });

/** Hands over a stream of this process itself, so that a pager finds its terminal. */
const descriptor = (stream: Writable & { readonly fd?: unknown }): number | 'pipe' =>
  typeof stream.fd === 'number' ? stream.fd : 'pipe';

const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new ArchiverError('io', `cannot start /bin/sh: ${cause.message}`, { cause })),
    );
    // A program that was ended by a signal: shells report 128 plus its number, which is of no use here.
    child.once('close', (code) => resolve(code ?? 128));
  });

// `archiver shell`: which of the two shells, and whether a person or a script talks to it.
import type { Context } from '../../cli/context.js';
import { isCi } from '../../cli/progress.js';
import { usageError } from '../../core/failures/errors.js';
import type { Interpreter } from '../../core/shell/interpreter.js';
import type { ShellValues } from '../shell.js';
import { ArchiveInterpreter } from './archive-interpreter.js';
import { ArchiveSession } from './archive-session.js';
import { openArchive } from './open-archive.js';
import { ReplInterpreter } from './repl-interpreter.js';
import { runScript } from './run-script.js';
import { runTerminal } from './run-terminal.js';

/** Runs the command; returns its exit status. */
export async function runShell(values: ShellValues, url: string | undefined, context: Context): Promise<number> {
  if (context.json)
    throw usageError('a shell prints what its lines print and has no --json', 'archiver list and archiver info have');
  const isArchive = [url, values.bucket, values.uploadId, values.datasetId].some((given) => given !== undefined);
  if (!isArchive) return await talk(new ReplInterpreter(context), values, context);
  const { archive, opened } = await openArchive(values, url, context);
  try {
    return await talk(new ArchiveInterpreter(new ArchiveSession(archive, context)), values, context);
  } finally {
    opened.close();
  }
}

function talk(interpreter: Interpreter, { command }: ShellValues, context: Context): Promise<number> {
  const { stdin, stdout, env } = context;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb' && !isCi(env);
  return isTerminal && command.length === 0
    ? runTerminal(interpreter, context)
    : runScript(interpreter, command, context);
}

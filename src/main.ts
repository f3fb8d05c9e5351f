// The program: connects the real process to the framework. Everything that only a process can do is here: signals, warnings, the exit
// status.
import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import pkg from '../package.json' with { type: 'json' };
import { FileOutput, isFile } from './cli/file-output.js';
import { interruptions } from './cli/interruptions.js';
import { closeOutput } from './cli/lost-output.js';
import { endProcess } from './cli/process-end.js';
import { uncaughtFailure } from './cli/early-flags.js';
import { runProgram } from './cli/run.js';
import { useUtc } from './cli/use-utc.js';
import { quietWarnings } from './cli/warnings.js';
import { workingFolder } from './cli/working-folder.js';
import { readyCodec } from './core/platform/codec/codec.js';
import { openFileLimit } from './core/platform/limits/open-files.js';

const LEFT_BEHIND_MS = 500;

const warnings = quietWarnings(process);
const endNow = (status: number): never => endProcess(process, status);
const { settle, ...interruptible } = interruptions(process, endNow, (text) => tell(`✗ ${text}\n`));

// Bypasses the streams, as the process is about to end.
function tell(text: string, descriptor = 2): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // Nobody can read the message; the exit status still says it.
  }
}

// Handles errors that no promise has caught. Commands await their work, so this is a bug of ours, reported like any other failure.
process.on('uncaughtException', (error) => {
  const { stdout, stderr } = uncaughtFailure(error, process.argv.slice(2));
  if (stdout !== '') tell(stdout, 1);
  if (stderr !== '') tell(stderr);
  endNow(1);
});
process.stderr.on('error', () => undefined);

const STDOUT = 1;
const file = isFile(STDOUT) ? new FileOutput(STDOUT) : undefined;

// Nothing is left to run. If the command has not ended, it waits for something that will never come.
let status: number | undefined;
process.on('beforeExit', () => {
  if (status === undefined) tell('✗ internal error: the command stopped before it was done\n');
  endNow(status ?? 1);
});

/**
 * Returns the home folder. A container may run as a user that is unknown there: it gets the home that container engines use. The SDK needs
 * it, too.
 */
function homeFolder(): string {
  try {
    return process.env['HOME'] ?? homedir();
  } catch {
    return (process.env['HOME'] = '/');
  }
}

// As meow calls it, which is not loaded for every call (src/cli/tokenize.ts).
process.title = 'archiver';

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  const [{ programFor }] = await Promise.all([import('./commands/called.js'), readyCodec()]);
  const ended = await runProgram({ root: await programFor(argv), version: pkg.version }, argv, {
    env: process.env,
    ...workingFolder(),
    userHome: homeFolder(),
    stdin: process.stdin,
    stdout: file ?? process.stdout,
    stderr: process.stderr,
    openFiles: openFileLimit(),
    now: () => new Date(),
    ...interruptible,
    useUtc,
    onSettings: ({ trace, color }) => {
      if (trace) warnings.show();
      // chalk, which the screens use, reads only this variable: it does not know NO_COLOR, and would take `--color never` in argv for a
      // request for colour.
      const noColor = color === 'never' || (color === 'auto' && (process.env['NO_COLOR'] ?? '') !== '');
      if (noColor) process.env['FORCE_COLOR'] = '0';
      else if (color === 'always') process.env['FORCE_COLOR'] = '1';
    },
  });
  status = file === undefined ? ended : closeOutput(file, ended, (text) => process.stderr.write(text));
  process.exitCode = status;
  settle(status);
  // The command has ended and its output is written. Whatever still runs (a connection, a thread, a credential_process that nobody waits for
  // any more) has this long to end by itself.
  setTimeout(endNow, LEFT_BEHIND_MS, status).unref();
}

void run();

#!/usr/bin/env node
// The entry: joins the real process to the framework. Everything that only a process can do is here: signals,
// warnings, the exit status.
import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import pkg from '../package.json' with { type: 'json' };
import { FileOutput, isFile } from './cli/file-output.js';
import { interruptions } from './cli/interruptions.js';
import { closeOutput } from './cli/lost-output.js';
import { escapedFailure, runProgram } from './cli/run.js';
import { quietWarnings } from './cli/warnings.js';
import { program } from './commands/index.js';

const warnings = quietWarnings(process);
// The one place that may: nobody waits for us any more, or nobody knows what state we are in.
// oxlint-disable-next-line unicorn/no-process-exit
const endNow = (status: number): never => process.exit(status);
const { signal, release, takeCtrlC } = interruptions(process, endNow);

// What escaped every promise. Commands await their work, so this is a defect of ours, told like any other.
process.on('uncaughtException', (error) => {
  const { stdout, stderr } = escapedFailure(error, process.argv.slice(2));
  if (stdout !== '') writeSync(1, stdout);
  if (stderr !== '') writeSync(2, stderr);
  endNow(1);
});
process.stderr.on('error', () => undefined);

const STDOUT = 1;
const file = isFile(STDOUT) ? new FileOutput(STDOUT) : undefined;

const status = await runProgram({ root: program(), version: pkg.version }, process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  userHome: process.env['HOME'] ?? homedir(),
  stdin: process.stdin,
  stdout: file ?? process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  signal,
  takeCtrlC,
  onSettings: ({ trace, color }) => {
    if (trace) warnings.show();
    // chalk, below the screens, reads only this variable: it does not know NO_COLOR, and would take `--color never`
    // in argv for a wish for colour.
    const noColor = color === 'never' || (color === 'auto' && (process.env['NO_COLOR'] ?? '') !== '');
    if (noColor) process.env['FORCE_COLOR'] = '0';
    else if (color === 'always') process.env['FORCE_COLOR'] = '1';
  },
});
process.exitCode = file === undefined ? status : closeOutput(file, status, (text) => process.stderr.write(text));
release();

// Runs the command of --stdin-command. It is run in a process group of its own, so that all of a pipeline can be ended. What it prints to
// stderr is passed on; its exit status decides whether what it has printed was all.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Context } from '../../cli/context.js';
import { pickReporter, type ProgressFormat } from '../../cli/progress.js';
import type { StreamInput } from '../../core/archive/archive-stream.js';
import { ArchiverError, errorText } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Most characters of its last line that are repeated in a message. */
const SHOWN_LINE = 300;

/** Returns what the command gives. It is started when that is opened. */
export function commandInput(
  command: string,
  { progressFormat }: { readonly progressFormat: ProgressFormat | undefined },
  context: Context<'upload'>,
): Pick<StreamInput, 'open' | 'whole' | 'close'> {
  const { cwd, env, stderr, quiet, trace } = context;
  // A screen is drawn over what others write to the terminal.
  const isScreen = pickReporter({ flags: { quiet, progressFormat, trace }, stderr, env }) === 'tui';
  let child: Child | undefined;
  let ended: Promise<string | undefined> | undefined;
  const lines: string[] = [];
  let lastLine = '';
  const tell = (text: Buffer): void => {
    lastLine = text.toString().trimEnd().split('\n').at(-1) || lastLine;
    if (isScreen) lines.push(text.toString());
    else stderr.write(text);
  };
  return {
    open() {
      child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stderr.on('data', tell);
      ended = endOf(child);
      ended.catch(() => undefined); // awaited when all is read
      return child.stdout;
    },
    async whole() {
      const why = await ended;
      for (const text of lines.splice(0)) context.note(printable(text.trimEnd()));
      if (why === undefined) return;
      const said = lastLine === '' ? '' : `: ${printable(lastLine.slice(0, SHOWN_LINE))}`;
      throw new ArchiverError('io', `\`${printable(command)}\` ${why}${said}; nothing was committed`);
    },
    close() {
      child?.stdout.destroy();
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // it has just ended
      }
    },
  };
}

/** Resolves when the command has ended and its output was read: with how it failed, or undefined. */
const endOf = (child: Child): Promise<string | undefined> =>
  new Promise((resolve) => {
    child.on('error', (error) => resolve(`cannot be run: ${errorText(error)}`));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(signal === null ? `ended with status ${code}` : `was ended by ${signal}`);
    });
  });

// Runs commands in this process, in a folder of their own.
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/cli/run.js';
import type { Command } from '../../src/cli/command.js';
import type { Node } from '../../src/cli/tree.js';

export interface CommandRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandHost {
  readonly root: Node<Command>;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Typed on a terminal; without it there is none. */
  readonly answer?: string;
  readonly now?: () => Date;
}

/** One call of the program. */
export async function runCommand(
  { root, folder, env = {}, answer, now = () => new Date() }: CommandHost,
  argv: readonly string[],
): Promise<CommandRun> {
  const texts = { stdout: '', stderr: '' };
  const collector = (name: 'stdout' | 'stderr'): PassThrough => {
    const stream = new PassThrough();
    stream.on('data', (data: Buffer) => (texts[name] += data.toString()));
    return stream;
  };
  const isTTY = answer !== undefined;
  const host = {
    env: { ARCHIVER_HOME: join(folder, 'home'), ...env },
    cwd: folder,
    userHome: folder,
    stdin: Object.assign(isTTY ? Readable.from([`${answer}\n`]) : new PassThrough(), { isTTY }),
    stdout: collector('stdout'),
    stderr: Object.assign(collector('stderr'), { isTTY }),
    now,
    signal: new AbortController().signal,
  };
  const status = await runProgram({ root, version: '0' }, argv, host);
  return { status, ...texts };
}

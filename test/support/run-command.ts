// Runs commands in this process, in a folder of their own.
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../../src/cli/run.js';
import type { Command } from '../../src/cli/command.js';
import type { Node } from '../../src/cli/tree.js';
import { useUtc } from '../../src/cli/use-utc.js';
import { checkJson } from './check-json.js';

export interface CommandRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandHost {
  readonly root: Node<Command>;
  readonly folder: string;
  /** HOME; the folder, unless it is said. */
  readonly userHome?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Lines typed on a terminal, after which the input ends; without them there is no terminal. */
  readonly answers?: readonly string[] | undefined;
  /** What stdin gives where it is no terminal, before it ends; without it nothing comes and it stays open. */
  readonly input?: string;
  readonly now?: () => Date;
  readonly signal?: AbortSignal;
  /** Gets what goes to stderr while the command runs. */
  readonly onStderr?: (text: string) => void;
  /** Results go to a terminal of this width. */
  readonly columns?: number;
}

/** One call of the program. */
export async function runCommand(
  {
    root,
    folder,
    userHome = folder,
    env = {},
    answers,
    input,
    now = () => new Date(),
    signal = new AbortController().signal,
    columns,
    onStderr,
  }: CommandHost,
  argv: readonly string[],
): Promise<CommandRun> {
  const texts = { stdout: '', stderr: '' };
  const collector = (name: 'stdout' | 'stderr'): PassThrough => {
    const stream = new PassThrough();
    stream.on('data', (data: Buffer) => {
      texts[name] += data.toString();
      if (name === 'stderr') onStderr?.(data.toString());
    });
    return stream;
  };
  const isTTY = answers !== undefined;
  const typed = answers?.map((line) => `${line}\n`) ?? (input === undefined ? undefined : [input]);
  const host = {
    // Requests are counted: tests of what a store keeps set ARCHIVER_CREATE_ONCE to auto.
    env: { ARCHIVER_HOME: join(folder, 'home'), ARCHIVER_CREATE_ONCE: 'yes', ...env },
    cwd: folder,
    userHome,
    stdin: Object.assign(typed === undefined ? new PassThrough() : Readable.from(typed), { isTTY }),
    stdout: Object.assign(collector('stdout'), columns !== undefined && { isTTY: true, columns }),
    stderr: Object.assign(collector('stderr'), { isTTY }),
    now,
    signal,
    useUtc,
  };
  const status = await runProgram({ root, version: '0' }, argv, host);
  checkJson(argv, texts, root);
  return { status, ...texts };
}

/** What a command printed with `--json`. */
export const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

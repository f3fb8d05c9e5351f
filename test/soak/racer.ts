// A computer of `npm run soak:plain`: a process that runs commands one after the other, so that each begins at once, several of them are
// really at work at the same time, and one can be killed in the middle.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { CommandRun } from '../support/run-command.js';

const SOURCE = fileURLToPath(new URL('racer-process.ts', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../tmp/racer/racer-process.js', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const LIMIT_MS = 120_000;

/** Makes one file of what racers run, beside the worker threads of dist: those that were killed begin anew within a moment. */
export async function buildRacer(): Promise<void> {
  await build({
    entryPoints: [SOURCE],
    outfile: PROGRAM,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    jsx: 'automatic',
  });
  const workers = readdirSync(DIST).filter((name) => name.endsWith('-worker.js'));
  for (const name of workers) copyFileSync(join(DIST, name), join(dirname(PROGRAM), name));
}

/** What a command ended with; undefined when it was killed. */
export type RacerRun = CommandRun | undefined;

export class Racer {
  readonly source: string;
  private readonly home: string;
  private child: Promise<ChildProcess>;

  constructor(
    readonly name: string,
    folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.home = join(folder, `home-${name}`);
    this.source = join(folder, `source-${name}`);
    for (const path of [this.home, this.source]) mkdirSync(path, { recursive: true });
    this.child = this.start();
  }

  private async start(): Promise<ChildProcess> {
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: this.home, TZ: 'UTC' };
    // Not with the loaders of whoever starts it, which each of its threads would load, too.
    const child = fork(PROGRAM, [this.home], { env: { ...inherited, ...this.env }, execArgv: [] });
    await once(child, 'message'); // it is ready
    return child;
  }

  /** Runs a command to its end, or to that of the process after so many milliseconds. */
  async run(args: readonly string[], killAfterMs?: number): Promise<RacerRun> {
    const child = await this.child;
    const answered = new Promise<RacerRun>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${args.join(' ')} did not end within minutes`)), LIMIT_MS);
      const settle = (ran: RacerRun): void => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(ran);
      };
      child.once('message', (ran) => settle(ran as CommandRun));
      child.once('exit', () => settle(undefined));
    });
    child.send(args);
    const killer = killAfterMs === undefined ? undefined : setTimeout(() => void child.kill('SIGKILL'), killAfterMs);
    const ran = await answered;
    clearTimeout(killer);
    if (ran === undefined) this.child = this.start();
    return ran;
  }

  /** The process stops where it is until it is let go on. */
  async signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    (await this.child).kill(name);
  }

  async close(): Promise<void> {
    (await this.child).kill('SIGKILL');
  }
}

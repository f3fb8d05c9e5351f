// Starts a program that serves S3 from a folder of its own, waits until it answers, and ends it with all that it started.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS = 60_000;
const POLL_MS = 100;
const SHOWN = 2000;

export interface Serving {
  /** Of the server: what it stores, its home, its log. */
  readonly folder: string;
  readonly stop: () => Promise<void>;
  /** Ends the server, and keeps what it stores. */
  readonly halt: () => Promise<void>;
  /** Starts it again after `halt`. */
  readonly resume: () => Promise<void>;
}

export interface ToServe {
  readonly name: string;
  readonly command: string;
  readonly args: (folder: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers, whatever it says, when the server is ready. */
  readonly url: string;
}

/** Why a server cannot be started here, when its program is not there. */
export const notOnPath = (program: string): string | undefined =>
  spawnSync('which', [program]).status === 0 ? undefined : `${program} is not on the PATH`;

/** A new folder for a server. */
export const serverFolder = (name: string): string => mkdtempSync(join(tmpdir(), `archiver-${name}-`));

/** Waits until something answers. @throws when what serves has ended, or after a minute */
export async function waitUntilReady(url: string, whyNot: () => string | undefined): Promise<void> {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    const ended = whyNot();
    if (ended !== undefined) throw new Error(`the server for ${url} ended: ${ended}`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer) {
      await answer.body?.cancel();
      return;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`nothing answers at ${url} after ${READY_MS / 1000} s`);
}

/** Starts it. @throws with the end of what it said when it does not start */
export async function serve({ name, command, args, env = {}, url }: ToServe): Promise<Serving> {
  const folder = serverFolder(name);
  const log = join(folder, 'log');
  const argv = args(folder);
  let halt = (): Promise<void> => Promise.resolve();
  const resume = async (): Promise<void> => {
    // Into a file: a pipe that nobody reads any more would end it.
    const output = openSync(log, 'a');
    const child = spawn(command, argv, {
      stdio: ['ignore', output, output],
      // The command may be a wrapper: its own process group is ended as a whole.
      detached: true,
      env: { ...process.env, HOME: folder, ...env },
    });
    closeSync(output);
    let ended: string | undefined;
    child.once('exit', (status, signal) => (ended = `status ${status ?? signal}`));
    child.once('error', (error) => (ended = error.message));
    halt = async () => {
      if (ended !== undefined || child.pid === undefined) return;
      const exit = once(child, 'exit');
      process.kill(-child.pid, 'SIGKILL');
      await exit;
    };
    await waitUntilReady(url, () => ended && `${ended}, ${readFileSync(log, 'utf8').slice(-SHOWN)}`);
  };
  const stop = async (): Promise<void> => {
    await halt();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await resume();
  } catch (error) {
    await stop();
    throw error;
  }
  return { folder, stop, halt: () => halt(), resume };
}

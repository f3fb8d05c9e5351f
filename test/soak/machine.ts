// A computer that runs the program: a home, a host name, a clock and a source folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isStop, type Fault } from './fault-plan.js';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const preload = (name: string): string => pathToFileURL(fileURLToPath(new URL(name, import.meta.url))).href;
const PRELOAD = preload('identity-preload.mjs');
const STOP_PRELOAD = preload('stop-at.mjs');
/** A container: the process sees no others, and is called by a number that another container has too. */
const CONTAINER = ['--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const LOOK_MS = 20;
const LIMIT_MS = 240_000;
/** strace counts calls by thread: with one for the file system, the n-th call is the n-th of the run. */
const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' } as const;

export interface Identity {
  readonly name: string;
  readonly home: string;
  readonly host: string;
  readonly skewMs: number;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It had not ended after minutes. */
  readonly isHung: boolean;
  /** It ended by a signal. */
  readonly isKilled: boolean;
  readonly durationMs: number;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly fault: Fault;
  /** Called with what sends the process a signal. */
  readonly onStart?: (send: (signal: NodeJS.Signals) => void) => void;
  /** Called when a fault has stopped the process, which goes on when this has ended. */
  readonly whileStopped?: () => Promise<unknown>;
  /** In a pid namespace of its own. */
  readonly isContained?: boolean;
}

function environment({ home, host, skewMs }: Identity, { env, fault }: RunOptions): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const inherited = ['PATH', 'TMPDIR', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    ARCHIVER_HOME: join(home, '.archiver'),
    NODE_OPTIONS: `--import ${PRELOAD}${fault.kind === 'stop-at' ? ` --import ${STOP_PRELOAD}` : ''}`,
    ...(fault.kind === 'stop-at'
      ? { SOAK_STOP_AT: `${fault.isAfter ? 'after' : 'before'} ${fault.nth} ${fault.path.source}` }
      : {}),
    SOAK_HOST: host,
    SOAK_SKEW_MS: String(skewMs),
    ...env,
  };
}

function commandLine({ fault, isContained = false }: RunOptions, args: readonly string[]): [string, string[]] {
  const plain = [CLI, ...args];
  if (isContained) return ['unshare', [...CONTAINER, process.execPath, ...plain]];
  if (fault.kind !== 'syscall-kill' && fault.kind !== 'syscall-error') return [process.execPath, plain];
  const effect = fault.kind === 'syscall-kill' ? 'signal=KILL' : `error=${fault.error}`;
  const inject = `inject=${fault.calls}:${effect}:when=${fault.when}`;
  const tracing = ['-f', '-qqq', '-o', '/dev/null', '-e', `trace=${fault.calls}`, '-e', inject];
  return ['strace', [...tracing, process.execPath, ...plain]];
}

/** Sends a signal to a process and all that it started. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const running = new Set<ChildProcess>();

/** Ends every command that runs: they are groups of their own, and a terminal's Ctrl+C does not reach them. */
export function stopAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL');
}

function isStopped({ pid }: ChildProcess): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return false;
  }
}

/** Lets a process that has been stopped go on when what is to happen meanwhile has happened. */
function watchForStop(child: ChildProcess, whileStopped: () => Promise<unknown>): NodeJS.Timeout {
  const timer = setInterval(() => {
    if (!isStopped(child)) return;
    clearInterval(timer);
    void whileStopped().finally(() => signalGroup(child, 'SIGCONT'));
  }, LOOK_MS);
  return timer;
}

function applyTimed(child: ChildProcess, { fault, whileStopped }: RunOptions): NodeJS.Timeout[] {
  if (fault.kind === 'signal') return [setTimeout(() => signalGroup(child, fault.signal), fault.afterMs)];
  if (!isStop(fault)) return [];
  const watch = watchForStop(child, whileStopped ?? (() => Promise.resolve()));
  return fault.kind === 'suspend' ? [watch, setTimeout(() => signalGroup(child, 'SIGSTOP'), fault.afterMs)] : [watch];
}

/** Runs the program to its end, or to the end that its fault makes. */
export function runProgram(identity: Identity, args: readonly string[], options: RunOptions): Promise<Ran> {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const [program, rest] = commandLine(options, args);
    const child = spawn(program, rest, {
      env: { ...environment(identity, options), ...(program === 'strace' ? ONE_THREAD : {}) },
      cwd: identity.home,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const kill = (): void => signalGroup(child, 'SIGKILL');
    options.onStart?.((signal) => signalGroup(child, signal));
    let isHung = false;
    const limit = setTimeout(() => {
      isHung = true;
      kill();
    }, LIMIT_MS);
    const timers = [...applyTimed(child, options), limit];
    child.once('error', reject);
    child.once('close', (status, signal) => {
      running.delete(child);
      for (const timer of timers) clearTimeout(timer);
      const isKilled = signal !== null || (status !== null && status > 128);
      resolve({
        status: signal === null ? status : null,
        ...output,
        isHung,
        isKilled,
        durationMs: Date.now() - startedAt,
      });
    });
  });
}

// A computer that runs the program: a home, a host name, a clock and a source folder of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Fault } from './fault-plan.js';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const PRELOAD = pathToFileURL(fileURLToPath(new URL('identity-preload.mjs', import.meta.url))).href;
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
  /** Called with what ends the process at once. */
  readonly onStart?: (kill: () => void) => void;
  /** When a stopped process goes on. */
  readonly resumed?: Promise<unknown>;
}

function environment({ home, host, skewMs }: Identity, env: RunOptions['env']): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const inherited = ['PATH', 'TMPDIR', 'LANG'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    ARCHIVER_HOME: join(home, '.archiver'),
    NODE_OPTIONS: `--import ${PRELOAD}`,
    SOAK_HOST: host,
    SOAK_SKEW_MS: String(skewMs),
    ...env,
  };
}

function commandLine(fault: Fault, args: readonly string[]): [string, string[]] {
  const plain = [CLI, ...args];
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

function applyTimed(child: ChildProcess, { fault, resumed }: RunOptions): NodeJS.Timeout[] {
  if (fault.kind === 'signal') return [setTimeout(() => signalGroup(child, fault.signal), fault.afterMs)];
  if (fault.kind !== 'suspend') return [];
  const stop = setTimeout(() => {
    signalGroup(child, 'SIGSTOP');
    void (resumed ?? Promise.resolve()).finally(() => signalGroup(child, 'SIGCONT'));
  }, fault.afterMs);
  return [stop];
}

/** Runs the program to its end, or to the end that its fault makes. */
export function runProgram(identity: Identity, args: readonly string[], options: RunOptions): Promise<Ran> {
  const startedAt = Date.now();
  return new Promise((resolve, reject) => {
    const [program, rest] = commandLine(options.fault, args);
    const child = spawn(program, rest, {
      env: { ...environment(identity, options.env), ...(program === 'strace' ? ONE_THREAD : {}) },
      cwd: identity.home,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const kill = (): void => signalGroup(child, 'SIGKILL');
    options.onStart?.(kill);
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

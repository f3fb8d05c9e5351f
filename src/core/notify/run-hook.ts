// Runs one hook: a child process in its own process group, so that a timeout ends everything it has started. Its output is passed on line
// by line.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonText } from '../platform/failures/errno.js';
import { undefinedOn } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import { type HookName, hookCommand, type HookSettings } from './hook-settings.js';
import type { EndedRun, NotedRun } from '../events/run-facts.js';

export interface HookCall {
  readonly name: HookName;
  readonly settings: HookSettings;
  readonly run: NotedRun;
  /** Given for hooks after the run. */
  readonly ended?: EndedRun | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Gets each line that the hook prints. */
  readonly tell: (text: string) => void;
  /** Ends the hook; not given for hooks that run after an interruption. */
  readonly signal?: AbortSignal | undefined;
  /** Returns a signal that fires at the hook's time limit. */
  readonly hookDeadline?: ((ms: number) => AbortSignal) | undefined;
}

/** Time between asking a process group to end and killing it. */
const PATIENCE_MS = 2_000;
/** Time to read the remaining output of a hook that has ended; processes that it left running may keep its pipes open forever. */
const DRAIN_MS = 500;
const MAX_LINES = 1_000;
const MAX_LINE = 2_000;

/** Longest timer that Node supports. */
const MAX_MS = 2 ** 31 - 1;

const deadlineOf = (ms: number): AbortSignal => AbortSignal.timeout(Math.min(ms, MAX_MS));

/** Runs the hook, if there is one; returns undefined when it succeeded, otherwise why not. @throws usage for an invalid command */
export async function runHook(call: HookCall): Promise<string | undefined> {
  const { name, settings, signal, hookDeadline = deadlineOf } = call;
  const command = hookCommand(name, settings);
  if (command === undefined) return undefined;
  signal?.throwIfAborted();
  const [program, ...args] = command;
  const about = `the hook '${name}' (${printable(program)})`;
  const child = spawn(program, args, {
    cwd: call.cwd,
    env: hookEnvironment(call),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const piped = Promise.all([passLines(child.stdout, call.tell), passLines(child.stderr, call.tell)]);
  const timeout = hookDeadline(settings.timeoutMs);
  const cut = AbortSignal.any([timeout, ...(signal === undefined ? [] : [signal])]);
  const ended = endOf(child);
  const aborted = new Promise<undefined>((resolve) => {
    cut.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    const end = await Promise.race([ended, aborted]);
    if (end !== undefined) return end.problem === undefined ? undefined : `${about} ${end.problem}`;
    await endGroup(child, ended);
    signal?.throwIfAborted();
    return `${about} took longer than ${settings.timeoutMs / 1000} s and was ended`;
  } finally {
    await Promise.race([piped, sleep(DRAIN_MS, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

interface End {
  readonly problem: string | undefined;
}

const endOf = (child: ChildProcess): Promise<End> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve({ problem: `could not be started: ${reasonText(error)}` }));
    child.once('exit', (status, killer) => {
      const how = killer ?? `exit status ${status}`;
      resolve({ problem: status === 0 ? undefined : `ended with ${how}` });
    });
  });

/** Asks the whole process group to end, then kills it. */
async function endGroup(child: ChildProcess, ended: Promise<End>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  await Promise.race([ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
  signalGroup(child, 'SIGKILL');
  await ended;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    undefinedOn('ESRCH')(error); // all of them have ended
  }
}

/** Resolves when the stream has ended, or is destroyed. */
async function passLines(stream: NodeJS.ReadableStream, tell: (text: string) => void): Promise<void> {
  let lines = 0;
  // Destroying the stream only cuts off output of processes that were not waited for.
  const input = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  input.on('line', (line) => {
    lines++;
    if (lines <= MAX_LINES) tell(printable(line.slice(0, MAX_LINE)));
    if (lines === MAX_LINES) tell('what the hook prints beyond this is left out');
  });
  await new Promise<void>((resolve) => input.once('close', resolve));
}

const textOf = (value: string | number | null | undefined): string =>
  value === undefined || value === null ? '' : String(value);

/** Names begin with ARCHIVER_HOOK, so that an archiver called by the hook does not take them for its flags. */
function hookEnvironment({ name, run, ended, env }: HookCall): Readonly<Record<string, string | undefined>> {
  return {
    ...env,
    ARCHIVER_HOOK: name,
    ARCHIVER_HOOK_COMMAND: run.command,
    ARCHIVER_HOOK_SOURCE: run.source,
    ARCHIVER_HOOK_STORE: run.store,
    ...(ended && {
      ARCHIVER_HOOK_STATUS: ended.status,
      ARCHIVER_HOOK_EXIT_STATUS: textOf(ended.exitStatus),
      ARCHIVER_HOOK_PROBLEM: textOf(ended.problem),
      ARCHIVER_HOOK_DATASET_ID: textOf(ended.datasetId),
      ARCHIVER_HOOK_UPLOAD_ID: textOf(ended.uploadId),
      ARCHIVER_HOOK_VERSION: textOf(ended.version),
      ARCHIVER_HOOK_FILES: textOf(ended.files),
      ARCHIVER_HOOK_BYTES: textOf(ended.bytes),
      ARCHIVER_HOOK_STORED_BYTES: textOf(ended.storedBytes),
      ARCHIVER_HOOK_DURATION_MS: textOf(ended.durationMs),
    }),
  };
}

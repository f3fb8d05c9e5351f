// Runs the built program under strace, which makes chosen system calls fail from the moment on when all code is loaded.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CLI } from '../e2e/upload-cli.js';

const GATE = fileURLToPath(new URL('./gate.mjs', import.meta.url));
const READY_MS = 30_000;

export interface Fault {
  /** System calls, with commas. */
  readonly calls: string;
  /** Name of the error with which they fail; undefined if the program is killed there. */
  readonly error: string | undefined;
  /** Which calls of each thread, as strace's `when`: `1+` for all. */
  readonly when: string;
}

export interface Traced {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It had to be killed. */
  readonly hung: boolean;
  readonly injected: number;
}

/** Runs the program with the fault, for at most `limitMs` after its start. */
export async function runTraced(
  home: string,
  args: readonly string[],
  fault: Fault,
  limitMs = 60_000,
): Promise<Traced> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-traced-'));
  const gate = join(folder, 'gate');
  const log = join(folder, 'log');
  execFileSync('mkfifo', [gate]);
  const child = spawn(process.execPath, ['--import', GATE, CLI, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, ARCHIVER_HOME: join(home, '.archiver'), ARCHIVER_TEST_GATE: gate },
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (texts.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (texts.stderr += text.toString()));
  const closed = new Promise<Pick<Traced, 'status' | 'signal'>>((resolve) => {
    child.once('close', (status, signal) => resolve({ status, signal }));
  });
  await until(() => existsSync(`${gate}.ready`), 'the program to load');
  const { calls, error, when } = fault;
  const inject = `inject=${calls}:${error === undefined ? 'signal=KILL' : `error=${error}`}:when=${when}`;
  const trace = ['-f', '-qq', '-o', log, '-p', String(child.pid), '-e', `trace=${calls}`, '-e', inject];
  const tracer = spawn('strace', trace, { stdio: 'ignore' });
  await until(() => isTraced(child.pid ?? 0), 'the tracer');
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, limitMs);
  const opened = openSync(gate, 'w');
  writeSync(opened, 'x');
  closeSync(opened);
  const ended = await closed;
  clearTimeout(timer);
  tracer.kill();
  const injected = existsSync(log) ? readFileSync(log, 'utf8').split('(INJECTED)').length - 1 : 0;
  await rm(folder, { recursive: true, force: true });
  return { ...ended, ...texts, hung, injected };
}

const isTraced = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every(
    (task) => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')),
  );

async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + READY_MS; !isTrue(); await sleep(10))
    if (Date.now() > end) throw new Error(`waited too long for ${what}`);
}

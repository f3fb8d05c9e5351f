// Slurm itself: a controller, and several nodes that are all this computer.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from './free-ports.js';
import { notOnPath, serverFolder } from './serve.js';

const run = promisify(execFile);
const READY_MS = 60_000;
const POLL_MS = 200;
const NODES = ['n1', 'n2', 'n3'] as const;
export type SlurmNode = (typeof NODES)[number];

/** Why it cannot be started here. */
export function noSlurm(): string | undefined {
  const missing = ['munged', 'slurmctld', 'slurmd', 'sbatch'].map(notOnPath).find((reason) => reason !== undefined);
  return missing ?? (userInfo().uid === 0 ? undefined : 'slurmd starts jobs as root only');
}

export interface Slurm {
  readonly folder: string;
  /** For programs of Slurm, and what is submitted by them. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a program of Slurm; returns what it printed. @throws when it fails */
  readonly run: (program: string, ...args: readonly string[]) => Promise<string>;
  /** Kills the daemon of a node; what runs there goes on, as behind a broken network. */
  readonly killNode: (node: SlurmNode) => Promise<void>;
  readonly startNode: (node: SlurmNode) => void;
  readonly stop: () => Promise<void>;
}

// Daemons change their folder: every path is absolute. A requeued job begins when its credential has expired, two minutes if nobody says.
const config = (folder: string, port: number, settings: Readonly<Record<string, string>>): string =>
  Object.entries({
    ClusterName: 'test',
    SlurmctldHost: `${hostname().split('.')[0]}(127.0.0.1)`,
    SlurmctldPort: String(port),
    SlurmUser: 'root',
    SlurmdUser: 'root',
    AuthType: 'auth/munge',
    AuthInfo: `socket=${folder}/munge.socket,cred_expire=5`,
    CredType: 'cred/munge',
    StateSaveLocation: `${folder}/state`,
    SlurmdSpoolDir: `${folder}/spool-%n`,
    SlurmctldPidFile: `${folder}/slurmctld.pid`,
    SlurmdPidFile: `${folder}/%n.pid`,
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    MpiDefault: 'none',
    ReturnToService: '2',
    SlurmdTimeout: '10',
    SchedulerParameters: 'sched_interval=2,bf_interval=2,batch_sched_delay=1',
    PreemptType: 'preempt/partition_prio',
    PreemptMode: 'REQUEUE',
    ...settings,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('') +
  `NodeName=n[1-${NODES.length}] NodeHostname=${hostname().split('.')[0]} NodeAddr=127.0.0.1 Port=[${port + 1}-${port + NODES.length}] CPUs=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
`;

/** Starts it with further settings of slurm.conf. @throws with what it said when it does not start */
export async function startSlurm(settings: Readonly<Record<string, string>> = {}): Promise<Slurm> {
  const folder = serverFolder('slurm');
  const conf = join(folder, 'slurm.conf');
  mkdirSync(join(folder, 'state'));
  writeFileSync(join(folder, 'munge.key'), randomBytes(128), { mode: 0o600 });
  writeFileSync(conf, config(folder, await freePorts(1 + NODES.length), settings));
  const env = { SLURM_CONF: conf };
  const children = new Map<string, ChildProcess>();
  const start = (name: string, program: string, ...args: readonly string[]): void => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    children.set(name, spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } }));
    closeSync(log);
  };
  const end = async (name: string, signal: NodeJS.Signals): Promise<void> => {
    const child = children.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const call = async (program: string, ...args: readonly string[]): Promise<string> =>
    (await run(program, args, { cwd: folder, env: { ...process.env, ...env } })).stdout;
  const startNode = (node: SlurmNode): void => start(node, 'slurmd', '-D', '-f', conf, '-N', node);
  const stop = async (): Promise<void> => {
    await call('scancel', '--signal=KILL', '--full', '--user=root').catch(() => undefined);
    await call('scancel', '--user=root').catch(() => undefined);
    for (const name of [...NODES, 'slurmctld', 'munged']) await end(name, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const paths = ['key-file=munge.key', 'socket=munge.socket', 'pid-file=munge.pid', 'seed-file=munge.seed'];
    const flags = paths.map((text) => `--${text.replace('=', `=${folder}/`)}`);
    start('munged', 'munged', '--foreground', '--force', ...flags);
    await until('munged', () => spawnSync('munge', ['-n', '-S', `${folder}/munge.socket`]).status === 0);
    start('slurmctld', 'slurmctld', '-D', '-f', conf);
    for (const node of NODES) startNode(node);
    await until('three idle nodes', async () => {
      const states = await call('sinfo', '--noheader', '--Node', '--partition=main', '--format=%T').catch(() => '');
      return states.split('\n').filter((state) => state === 'idle').length === NODES.length;
    });
  } catch (error) {
    const log = (name: string): string => {
      try {
        return readFileSync(join(folder, `${name}.log`), 'utf8').slice(-1000);
      } catch {
        return '';
      }
    };
    const said = ['munged', 'slurmctld', 'n1'].map(log).join('\n');
    await stop();
    throw new Error(`Slurm does not start: ${said}`, { cause: error });
  }
  return { folder, env, run: call, killNode: (node) => end(node, 'SIGKILL'), startNode, stop };
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(POLL_MS)) if (await isSo()) return;
  throw new Error(`no ${what} after ${READY_MS / 1000} s`);
}

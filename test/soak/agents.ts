// npm run soak:agents: agents as services on one store, behind a proxy that breaks requests, killed at random, and the store down for a
// while. In the end every committed version restores to a state that its source was in. Drives dist/cli.js as systemd does.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Fault } from '../faults/fault.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { CLI } from './machine.js';
import { Rng } from './prng.js';
import { openSoakStore, STORES } from './servers.js';
import type { SoakStore } from './soak-store.js';

const { values: flags } = parseArgs({
  options: {
    /** Of each agent that end well. */
    cycles: { type: 'string', default: '200' },
    /** Cycles that would have been while the store is down. */
    outage: { type: 'string', default: '30' },
    agents: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now()) },
    store: { type: 'string', default: 'ceph' },
  },
});
const store = STORES.find((kind) => kind === flags.store && kind !== 'folder');
if (store === undefined) throw new Error(`--store is one of ${STORES.join(', ')}, and no folder`);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const INTERVAL_MS = 1000;
const FILES = 12;
const EDIT_BYTES = 20_000;
const FAULTY = 0.05;
const KILLED = 0.12;
const EDITED = 0.5;
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'status', status: 500 },
  { kind: 'reset' },
  { kind: 'lost-answer' },
  { kind: 'duplicate' },
  { kind: 'delay', ms: 700 },
  { kind: 'cut-response', afterBytes: 1 },
];

interface CycleLine {
  readonly type?: string;
  readonly isHealthy?: boolean;
}

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
const env: NodeJS.ProcessEnv = { ...process.env };

/** One writer: its source, what that has looked like, and the process that archives it. */
class Agent {
  readonly writerId: string;
  readonly states: string[] = [];
  edits = 0;
  done = 0;
  failed = 0;
  kills = 0;
  stopMs = 0;
  private readonly source: string;
  private child: ChildProcess | undefined;

  constructor(
    private readonly work: string,
    private readonly url: string,
    private readonly proxy: FaultProxy,
    private readonly rng: Rng,
    at: number,
  ) {
    this.writerId = `agent-${at}`;
    this.source = join(work, this.writerId);
    mkdirSync(this.source);
    for (let file = 0; file < FILES; file++) writeFileSync(join(this.source, `f${file}`), rng.noise(EDIT_BYTES));
    this.states.push(hashOf(this.source));
  }

  get home(): string {
    return join(this.work, `home-${this.writerId}`);
  }

  start(): void {
    const args = [
      'fleetagent',
      'run',
      this.source,
      this.url,
      '--writer-id',
      this.writerId,
      '--interval',
      '1s',
      '--json',
    ];
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...env, ARCHIVER_HOME: this.home, AWS_ENDPOINT_URL: this.proxy.endpoint },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.child = child;
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.startsWith('{')) this.ended(JSON.parse(line) as CycleLine);
      else say(`${this.writerId}: ${line}`);
    });
  }

  /** Edits between cycles, in one step: a cycle sees the old or the new state. */
  private ended({ type, isHealthy }: CycleLine): void {
    if (type !== 'cycle') return;
    if (isHealthy !== true) {
      this.failed++;
      return;
    }
    this.done++;
    if (this.rng.chance(EDITED)) this.edit();
  }

  private edit(): void {
    const fresh = join(this.work, `${this.writerId}.new`);
    writeFileSync(fresh, this.rng.noise(EDIT_BYTES));
    renameSync(fresh, join(this.source, `f${this.rng.int(0, FILES - 1)}`));
    this.edits++;
    this.states.push(hashOf(this.source));
  }

  async kill(): Promise<void> {
    if (this.child === undefined || this.child.exitCode !== null) throw new Error(`${this.writerId} ended by itself`);
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
    this.kills++;
    this.start();
  }

  async stop(): Promise<void> {
    if (this.child === undefined || this.child.exitCode !== null) return;
    const begin = performance.now();
    const exit = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const [status] = (await exit) as [number | null];
    this.stopMs = performance.now() - begin;
    if (status !== 0) throw new Error(`${this.writerId} ended with ${status} after SIGTERM`);
  }
}

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).toSorted()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

async function run(home: string, endpoint: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...env, ARCHIVER_HOME: home, AWS_ENDPOINT_URL: endpoint },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pieces: { stdout: string; stderr: string } = { stdout: '', stderr: '' };
  child.stdout.on('data', (piece: Buffer) => (pieces.stdout += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (pieces.stderr += piece.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0 && status !== 3)
    throw new Error(`${args.join(' ')} ended with ${status}: ${pieces.stderr}${pieces.stdout}`);
  return pieces.stdout;
}

/** Every version is a state of the source, and later ones are later states. */
async function check(
  agent: Agent,
  told: Writer | undefined,
  { work, endpoint, base }: { readonly work: string; readonly endpoint: string; readonly base: SoakStore },
): Promise<string> {
  const url = `${base.url}/writers/${agent.writerId}`;
  const home = join(work, 'home-reader');
  const [{ datasetId }] = (
    JSON.parse(await run(home, endpoint, ['dataset', 'list', url, '--json'])) as {
      datasets: [{ datasetId: string }];
    }
  ).datasets;
  const asked = ['--dataset-id', datasetId];
  const { versions } = JSON.parse(await run(home, endpoint, ['dataset', 'versions', url, ...asked, '--json'])) as {
    versions: readonly { version: number }[];
  };
  let before = 0;
  for (const version of versions.map((found) => found.version).toSorted((a, b) => a - b)) {
    const output = join(work, 'out');
    rmSync(output, { recursive: true, force: true });
    await run(home, endpoint, ['restore', url, output, '--all', ...asked, '--version', String(version), '--quiet']);
    const state = agent.states.indexOf(hashOf(output));
    if (state < before) throw new Error(`${agent.writerId} v${version} is state ${state}, after state ${before}`);
    before = state;
  }
  // The last cycle was ended by SIGTERM, perhaps between its commit and its heartbeat.
  const behind = Math.max(...versions.map(({ version }) => version)) - (told?.sourceCycles[0]?.version ?? 0);
  if (behind !== 0 && behind !== 1) throw new Error(`${agent.writerId}: its heartbeat is ${behind} versions behind`);
  const chunks = (await base.list()).filter(({ key }) => key.includes(`${agent.writerId}/`) && key.includes('/chunk-'));
  const sent = chunks.reduce((sum, { size }) => sum + size, 0);
  const edited = (FILES + agent.edits) * EDIT_BYTES;
  // What a killed cycle has sent and nobody continues, and the frame around each edit.
  if (sent > edited * 1.1 + (agent.kills + agent.failed) * EDIT_BYTES)
    throw new Error(`${agent.writerId}: ${sent} bytes stored for ${edited} bytes of edits`);
  return (
    `${agent.writerId}: ${agent.done} cycles, ${agent.failed} failed, ${agent.kills} kills, ${versions.length} versions restored, ` +
    `${sent} bytes stored for ${edited} of edits, stopped in ${Math.round(agent.stopMs)} ms`
  );
}

interface Writer {
  readonly writerId: string;
  readonly lastSuccessAt: string | null;
  readonly sourceCycles: readonly { readonly version: number | null }[];
}

/** What heartbeats say; no success is in the future. */
async function lookAtFleet(work: string, endpoint: string, url: string): Promise<readonly Writer[]> {
  const told = await run(join(work, 'home-watch'), endpoint, ['fleet', 'status', url, '--json']);
  const { writers } = JSON.parse(told) as { writers: readonly Writer[] };
  for (const { writerId, lastSuccessAt } of writers)
    if (lastSuccessAt !== null && Date.parse(lastSuccessAt) > Date.now() + 1000)
      throw new Error(`${writerId} succeeded in the future: ${lastSuccessAt}`);
  return writers;
}

async function main(): Promise<void> {
  const rng = new Rng(flags.seed);
  const work = mkdtempSync(join(tmpdir(), 'archiver-agents-'));
  const opened = await openSoakStore(
    store ?? 'ceph',
    work,
    `agents-${createHash('md5').update(flags.seed).digest('hex')}`,
  );
  Object.assign(env, opened.store.env);
  const upstream = opened.store.upstream ?? '';
  const proxy = await startFaultProxy(upstream);
  const faults = rng.fork('faults');
  let isDown = false;
  proxy.inject({ fault: { kind: 'reset' }, when: () => isDown });
  for (const fault of FAULTS) proxy.inject({ fault, when: () => faults.chance(FAULTY / FAULTS.length) });
  const agents = Array.from(
    { length: Number(flags.agents) },
    (_, at) => new Agent(work, opened.store.url, proxy, rng.fork(`agent-${at}`), at),
  );
  try {
    say(`seed ${flags.seed}, store ${flags.store}, ${agents.length} agents`);
    for (const agent of agents) agent.start();
    const kills = rng.fork('kills');
    const wanted = Number(flags.cycles);
    const least = (): number => Math.min(...agents.map(({ done }) => done));
    let wasDown = false;
    while (least() < wanted) {
      await sleep(kills.int(300, 1500));
      for (const agent of agents) if (kills.chance(KILLED)) await agent.kill();
      if (!wasDown && least() >= wanted / 2) {
        wasDown = true;
        isDown = true;
        say(`store down for ${flags.outage} intervals, after ${least()} cycles`);
        await sleep(Number(flags.outage) * INTERVAL_MS);
        isDown = false;
      }
      if (least() < 2) continue;
      const writers = await lookAtFleet(work, upstream, opened.store.url);
      if (writers.length < agents.length) throw new Error('a writer has no heartbeat');
    }
    for (const agent of agents) await agent.stop();
    const told = await lookAtFleet(work, upstream, opened.store.url);
    const where = { work, endpoint: upstream, base: opened.store };
    for (const agent of agents) {
      const writer = told.find(({ writerId }) => writerId === agent.writerId);
      say(await check(agent, writer, where));
    }
    rmSync(work, { recursive: true, force: true });
  } finally {
    for (const agent of agents) await agent.stop().catch(() => undefined);
    await proxy.close();
    await opened.close();
  }
}

await main();

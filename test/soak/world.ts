// Everything that a step works with: the store, the machines and their sources, what is expected, and the evidence.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Expectations } from './expectations.js';
import { forward, Gates, openLane, type Lane, type Request } from './fault-lane.js';
import { describeFault, isDeadly, isStop, NO_FAULT, type Fault } from './fault-plan.js';
import { runProgram, type Identity, type Ran } from './machine.js';
import type { Rng } from './prng.js';
import type { SoakStore } from './soak-store.js';
import { SourceTree } from './source-tree.js';

/** What must never happen has happened. */
export class SoakFailure extends Error {
  override readonly name = 'SoakFailure';
}

export interface Machine extends Identity {
  readonly source: SourceTree;
  /** S3 operations that it is denied. */
  readonly denied: RegExp | undefined;
}

export interface Counts {
  restored: number;
  kills: number;
  faults: number;
}

export interface Run extends Ran {
  readonly machine: string;
  readonly args: readonly string[];
  readonly fault: Fault;
  /** Its fault may be what it ended with. */
  readonly isHit: boolean;
  /** The JSON document on stdout, when there is one. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface RunSettings {
  readonly fault?: Fault;
  /** What happens while a fault has stopped the command. */
  readonly whileStopped?: () => Promise<unknown>;
  readonly store?: SoakStore;
  /** In a pid namespace of its own. */
  readonly isContained?: boolean;
}

/** What ends a command, stops it and lets it go on; known when it runs. */
class Reins {
  send: (signal: NodeJS.Signals) => void = () => undefined;
  private wake: () => void = () => undefined;
  private readonly awake = new Promise<void>((resolve) => {
    this.wake = resolve;
  });

  async stop(): Promise<void> {
    this.send('SIGSTOP');
    await this.awake;
  }

  /** It goes on, or has ended. */
  goesOn(): void {
    this.wake();
  }
}

interface Held {
  readonly request: Request;
  readonly upstream: string;
  readonly atStep: number;
}

const REMEMBERED_LINES = 30;

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
};

export interface WorldSettings {
  readonly seed: string;
  readonly folder: string;
  readonly store: SoakStore;
  readonly machines: readonly Machine[];
  /** Whether prune knows --grace and --instant. */
  readonly hasGrace: boolean;
  /** The world whose step this one is a part of. */
  readonly parent?: World;
}

export class World {
  readonly seed: string;
  readonly folder: string;
  readonly store: SoakStore;
  readonly machines: readonly Machine[];
  readonly hasGrace: boolean;
  readonly counts: Counts;
  readonly expectations = new Expectations();
  readonly recent: string[] = [];
  step: number;
  private readonly parent: World | undefined;
  private readonly gates = new Gates();
  private held: Held[] = [];
  private runs = 0;
  private readers = 0;

  constructor({ seed, folder, store, machines, hasGrace, parent }: WorldSettings) {
    this.seed = seed;
    this.folder = folder;
    this.store = store;
    this.machines = machines;
    this.hasGrace = hasGrace;
    this.parent = parent;
    this.step = parent?.step ?? 0;
    this.counts = parent?.counts ?? { restored: 0, kills: 0, faults: 0 };
    mkdirSync(join(folder, 'runs'), { recursive: true });
  }

  machine(name: string): Machine {
    const found = this.machines.find((machine) => machine.name === name);
    if (!found) throw new Error(`no machine ${name}`);
    return found;
  }

  /** A line for the log. */
  say(text: string): void {
    if (this.parent !== undefined) return this.parent.say(`  ${text}`);
    const line = `${this.seed} ${this.step} ${text}`;
    process.stdout.write(`${line}\n`);
    this.recent.push(line);
    if (this.recent.length > REMEMBERED_LINES) this.recent.shift();
    return appendFileSync(join(this.folder, 'steps.log'), `${line}\n`);
  }

  /** A machine that has never seen the store. */
  reader(): Identity & { readonly forget: () => void } {
    const home = join(this.folder, `reader-${++this.readers}`);
    const forget = (): void => rmSync(home, { recursive: true, force: true });
    return { name: 'reader', home, host: 'reader', skewMs: 0, forget };
  }

  /** Runs a command and keeps what it said. */
  async run(
    identity: Identity & { readonly denied?: RegExp | undefined },
    args: readonly string[],
    settings: RunSettings = {},
  ): Promise<Run> {
    const { fault = NO_FAULT, store = this.store } = settings;
    const number = ++this.runs;
    const reins = new Reins();
    let failure: unknown;
    const lane = await this.openLane(identity, settings, reins);
    // An upload is saved with the address that it was begun with, which may be in use.
    const isResume = lane !== undefined && args[0] === 'resume' && args[1] !== 'list';
    const given = isResume ? [...args, '--endpoint-url', lane.endpoint] : args;
    const ran = await runProgram(identity, given, {
      env: lane === undefined ? {} : { ...store.env, AWS_ENDPOINT_URL: lane.endpoint },
      fault,
      onStart: (send) => {
        reins.send = send;
      },
      whileStopped: async () => {
        try {
          await settings.whileStopped?.();
        } catch (error) {
          failure = error;
        } finally {
          reins.goesOn();
        }
      },
      isContained: settings.isContained === true,
    });
    reins.goesOn();
    await lane?.close();
    const isHit = this.count(ran, fault, lane);
    const run = { ...ran, machine: identity.name, args, fault, isHit, document: parse(ran.stdout) };
    this.record(number, run);
    if (failure !== undefined) throw failure;
    if (ran.isHung) throw new SoakFailure(`${this.describe(run)} did not end within minutes`);
    return run;
  }

  /** Whether the fault may be what the command ended with. */
  private count({ isKilled }: Ran, fault: Fault, lane: Lane | undefined): boolean {
    const isStopped = isStop(fault);
    const isHit = fault.kind === 'request' ? lane?.hasHit() === true : fault.kind !== 'none' && !isStopped;
    if (isHit || isStopped) this.counts.faults += 1;
    if (isKilled && isDeadly(fault)) this.counts.kills += 1;
    return isHit;
  }

  private async openLane(
    { name, denied }: Pick<Machine, 'name'> & { readonly denied?: RegExp | undefined },
    settings: RunSettings,
    reins: Reins,
  ): Promise<Lane | undefined> {
    const { fault = NO_FAULT, store = this.store } = settings;
    const { upstream } = store;
    if (upstream === undefined) return undefined;
    return await openLane({
      upstream,
      gates: this.gates,
      machine: name,
      fault,
      ...(denied === undefined ? {} : { denied }),
      shownTime: (time) => store.shownTime(time),
      kill: () => reins.send('SIGKILL'),
      stop: () => reins.stop(),
      hold: (request) => this.held.push({ request, upstream, atStep: this.step }),
    });
  }

  /** How a run is named in messages. */
  describe({ machine, args, fault }: Pick<Run, 'machine' | 'args' | 'fault'>): string {
    return `${machine}: ${args.join(' ').replaceAll(this.folder, '.')}${describeFault(fault)}`;
  }

  /** Lets requests that were held arrive: all, or those of steps ago. */
  async release(minAgeSteps = 0): Promise<void> {
    const due = this.held.filter(({ atStep }) => this.step - atStep >= minAgeSteps);
    this.held = this.held.filter((one) => !due.includes(one));
    for (const { request, upstream } of due) {
      const { status } = await forward(upstream, request);
      this.say(`a held ${request.method} ${request.path.slice(0, 100)} arrives: ${status}`);
    }
  }

  /** Stops what listens. */
  close(): void {
    this.gates.close();
  }

  private record(number: number, run: Run): void {
    const name = `${String(number).padStart(5, '0')}-step-${this.step}-${run.machine}`;
    const ended = `exit ${run.status ?? 'by a signal'} after ${run.durationMs} ms`;
    const text = [this.describe(run), ended, '--- stdout', run.stdout, '--- stderr', run.stderr].join('\n');
    writeFileSync(join(this.folder, 'runs', `${name}.txt`), text);
  }
}

/** Draws hosts, clocks and sources. */
export function makeMachines(rng: Rng, folder: string, kind: string): Machine[] {
  // Servers that check signatures refuse a clock that is a quarter of an hour off.
  const unit = kind === 'folder' || kind === 's3' ? 3_600_000 : 150_000;
  const isListDenied = rng.chance(0.3);
  const denied = isListDenied ? /^(Get|Head|Delete|List|Copy)/ : /^(Get|Head|Delete|Copy)/;
  return ['alpha', 'beta', 'gamma'].map((name) => {
    const machine = makeMachine(rng, folder, name);
    return {
      ...machine,
      skewMs: name === 'alpha' ? 0 : rng.pick([0, 0, 5 * unit, -3 * unit]),
      denied: kind !== 'folder' && name === 'gamma' ? denied : undefined,
    };
  });
}

/** A machine whose clock is right, and its source. */
export function makeMachine(rng: Rng, folder: string, name: string): Machine {
  const source = new SourceTree(join(folder, `source-${name}`), name);
  source.fill(rng.fork(`source ${name}`));
  return { name, home: join(folder, `home-${name}`), host: `${name}-host`, skewMs: 0, source, denied: undefined };
}

// A store of a scenario's own, and the machines that work on it with the built program.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gates, openLane } from '../soak/fault-lane.js';
import { NO_FAULT, type Fault } from '../soak/fault-plan.js';
import { runProgram, type Identity, type Ran } from '../soak/machine.js';
import type { Rng } from '../soak/prng.js';
import { differences, snapshot, type Tree } from '../soak/snapshot.js';
import type { SoakStore } from '../soak/soak-store.js';
import { SourceTree } from '../soak/source-tree.js';
import { checkJson } from '../support/check-json.js';
import { expect, Failure } from './scenario.js';

/** A computer: its home, its name and a folder to archive. */
export interface Machine extends Identity {
  readonly source: SourceTree;
}

export type Document = Readonly<Record<string, unknown>>;

export interface ListedVersion {
  readonly version: number;
  /** Which of several of that number. */
  readonly fork?: string | null;
  readonly uploadId: string;
  readonly tags?: readonly string[];
}

const SHOWN = 1500;
const LOOK_MS = 50;
import { MASS_DELETE } from '../soak/commands.js';

export interface PlaceSettings {
  readonly folder: string;
  readonly store: SoakStore;
  readonly rng: Rng;
  /** `--exclusive` where what others may replace is replaced only by whoever says that nobody else writes. */
  readonly exclusive: readonly string[];
}

export class Place {
  readonly store: SoakStore;
  readonly url: string;
  readonly exclusive: readonly string[];
  private readonly gates = new Gates();
  private readonly machines = new Map<string, Machine>();
  private isAged = false;
  private outputs = 0;

  constructor(private readonly settings: PlaceSettings) {
    this.store = settings.store;
    this.url = settings.store.url;
    this.exclusive = settings.exclusive;
  }

  /** The machine of that name, with a source of its own the first time. */
  machine(name = 'alpha'): Machine {
    const known = this.machines.get(name);
    if (known) return known;
    const { folder, rng } = this.settings;
    const source = new SourceTree(join(folder, `source-${name}`), name);
    source.fill(rng.fork(`source ${name}`));
    const machine = { name, home: join(folder, `home-${name}`), host: `${name}-host`, skewMs: 0, source };
    this.machines.set(name, machine);
    return machine;
  }

  /** Changes the machine's source. */
  change(name = 'alpha'): void {
    const { source } = this.machine(name);
    source.mutate(this.settings.rng.fork(`${name} ${source.generation}`));
  }

  get rng(): Rng {
    return this.settings.rng;
  }

  /** Bytes that do not compress. */
  noise(bytes: number): Buffer {
    return this.rng.noise(bytes);
  }

  /** Puts a file into the store, past the program. */
  async putFile(key: string, path: string): Promise<void> {
    await this.store.put(key, readFileSync(path));
  }

  /** A path in the scenario's folder. */
  path(...parts: readonly string[]): string {
    return join(this.settings.folder, ...parts);
  }

  /** Runs the program on a machine, whatever becomes of it. */
  async run(args: readonly string[], settings: RunSettings = {}): Promise<Ran> {
    const { on = this.machine(), fault = NO_FAULT } = settings;
    const { store } = this;
    const { upstream } = store;
    let kill: (signal: NodeJS.Signals) => void = () => undefined;
    let isOver = false;
    // Only a proxy can say that what lies on a server is older than it is.
    const lane =
      this.isAged && upstream !== undefined
        ? await openLane({
            upstream,
            gates: this.gates,
            machine: on.name,
            fault,
            shownTime: (time) => store.shownTime(time),
            kill: () => kill('SIGKILL'),
            stop: () => Promise.resolve(),
            hold: () => undefined,
          })
        : undefined;
    const ran = await runProgram(on, args, {
      env: { TZ: 'UTC', ...store.env, ...(lane === undefined ? {} : { AWS_ENDPOINT_URL: lane.endpoint }) },
      fault,
      onStart: (send) => {
        kill = send;
        if (settings.until !== undefined) void this.stopWhen(settings.until, send, () => isOver);
      },
    });
    isOver = true;
    await lane?.close();
    if (ran.isHung) throw new Failure(`${args.join(' ')} did not end within minutes`);
    if (!ran.isKilled) checkJson(args, ran);
    return ran;
  }

  private async stopWhen(until: Until, send: (signal: NodeJS.Signals) => void, isOver: () => boolean): Promise<void> {
    while (!isOver() && !(await until.isSo())) await sleep(LOOK_MS);
    send(until.signal);
  }

  /** Runs it and wants a good end. */
  async ok(args: readonly string[], settings: RunSettings = {}): Promise<Ran> {
    return await this.ends(args, [0], settings);
  }

  /** The same, for its document. */
  async json(args: readonly string[], settings: RunSettings = {}): Promise<Document> {
    return documentOf(await this.ok([...args, '--json'], settings));
  }

  /** Runs it and wants one of these ends. */
  async ends(args: readonly string[], statuses: readonly number[], settings: RunSettings = {}): Promise<Ran> {
    const ran = await this.run(args, settings);
    expect(statuses.includes(ran.status ?? -1), `${this.describe(args, ran)} instead of ${statuses.join(' or ')}`);
    return ran;
  }

  /** Runs it and wants this end, and a sentence that says why. */
  async says(args: readonly string[], status: number, sentence: RegExp, settings: RunSettings = {}): Promise<Ran> {
    const ran = await this.ends(args, [status], settings);
    const said = `${ran.stdout}${ran.stderr}`;
    expect(sentence.test(said), `${this.describe(args, ran)}, and does not say ${sentence.source}`);
    return ran;
  }

  private describe(args: readonly string[], { status, stdout, stderr }: Ran): string {
    const call = args.join(' ').replaceAll(this.settings.folder, '.');
    return `\`${call}\` ended with ${status ?? 'a signal'} (${stderr.slice(-SHOWN)}${stdout.slice(0, SHOWN)})`;
  }

  /** Syncs a machine's source as it is into the dataset `lab`, without what is gone. */
  async sync(name = 'alpha', flags: readonly string[] = []): Promise<Document> {
    return await this.json(this.syncArgs(name, flags), { on: this.machine(name) });
  }

  syncArgs(name = 'alpha', flags: readonly string[] = []): readonly string[] {
    const where = ['sync', this.machine(name).source.root, this.url, '--dataset-id', 'lab'];
    return [...where, '--track-deletes', MASS_DELETE, '--quiet', ...flags];
  }

  /** The versions of a dataset, the newest first. */
  async versions(datasetId = 'lab', on = this.machine()): Promise<readonly ListedVersion[]> {
    const document = await this.json(['dataset', 'versions', this.url, '--dataset-id', datasetId], { on });
    return document['versions'] as readonly ListedVersion[];
  }

  /** Restores all of a version on a machine that has never seen the store, and gives what came. */
  async restore(args: readonly string[]): Promise<Tree> {
    const output = this.path(`out-${++this.outputs}`);
    const reader = {
      ...this.machine(),
      name: 'reader',
      home: this.path(`home-reader-${this.outputs}`),
      host: 'reader',
    };
    await this.ok(['restore', this.url, output, '--all', '--quiet', ...args], { on: reader });
    const tree = existsSync(output) ? snapshot(output) : new Map<string, never>();
    for (const folder of [output, reader.home]) rmSync(folder, { recursive: true, force: true });
    return tree;
  }

  /** @throws Failure unless the version restores to this tree, byte for byte */
  async expectVersion(selector: string, tree: Tree, datasetId = 'lab'): Promise<void> {
    const restored = await this.restore(['--dataset-id', datasetId, '--version', selector]);
    const found = differences(tree, restored);
    expect(found.length === 0, `version ${selector} restores to something else: ${found.join('; ')}`);
  }

  /** All that is there looks so many hours older from now on. */
  async age(hours: number): Promise<void> {
    this.isAged = true;
    await this.store.age(hours * 3_600_000);
  }

  close(): void {
    this.gates.close();
  }
}

export interface RunSettings {
  readonly on?: Identity;
  readonly fault?: Fault;
  readonly until?: Until;
}

/** When a command gets a signal. */
export interface Until {
  readonly isSo: () => Promise<boolean>;
  readonly signal: NodeJS.Signals;
}

/** What was printed with `--json`. */
export const documentOf = ({ stdout }: Ran): Document => JSON.parse(stdout) as Document;

/** How a version is asked for: by its number, with its fork where there are several of that number. */
export function selectorOf(one: ListedVersion, all: readonly ListedVersion[]): string {
  const isForked = all.filter(({ version }) => version === one.version).length > 1;
  return isForked ? `v${one.version}.${one.fork ?? 'a'}` : `v${one.version}`;
}

// The races: what is written, what runs beside, and what has to be true after each.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MASS_DELETE } from './commands.js';
import { Gates, openLane } from './fault-lane.js';
import { NO_FAULT } from './fault-plan.js';
import { Rng } from './prng.js';
import { buildRacer, Racer, type RacerRun } from './racer.js';
import { differences, snapshot, type Tree } from './snapshot.js';
import type { SoakStore } from './soak-store.js';

export interface RaceSettings {
  readonly races: number;
  readonly pruneEvery: number;
  readonly sleepEvery: number;
  readonly kills: number;
  readonly seed: string;
}

interface Options extends RaceSettings {
  readonly folder: string;
  readonly store: SoakStore;
  readonly say: (line: string) => void;
}

interface Listed {
  readonly version: number;
  readonly fork?: string;
  readonly uploadId: string;
}

interface Written {
  readonly name: string;
  readonly tree: Tree;
  readonly ran: RacerRun;
}

const WRITERS = ['alpha', 'beta', 'gamma', 'delta'] as const;
const FILES = 4;
const LARGEST = 6000;
/** Races at one dataset: the list of its versions stays short. */
const RACES_OF_DATASET = 10;
/** More than a race makes: what is reported is not pruned right away. */
const KEEP = '8';
const HOUR_MS = 3_600_000;
const LONGEST_RUN_MS = 250;
const TOLD = 25;
const AGAIN = 8;

export class PlainRaces {
  readonly failures: string[] = [];
  private readonly gates = new Gates();
  private readonly rng: Rng;
  private racers = new Map<string, Racer>();
  private readonly known = new Map<string, Tree>();
  private reported: string[] = [];
  private isPruned = false;
  private readonly counts = { races: 0, ended: 0, restored: 0, forks: 0, kills: 0, refused: 0, prunes: 0, sleeps: 0 };
  private outputs = 0;

  constructor(private readonly options: Options) {
    this.rng = new Rng(options.seed);
  }

  /** Starts the computers. */
  async open(): Promise<void> {
    await buildRacer();
    for (const name of [...WRITERS, 'pruner', 'reader']) {
      const env = { ...this.options.store.env, AWS_ENDPOINT_URL: await this.endpointFor(name) };
      this.racers.set(name, new Racer(name, this.options.folder, env));
    }
  }

  /** Only a proxy can say that what lies on a server is older than it is. */
  private async endpointFor(machine: string): Promise<string> {
    const { store, pruneEvery, sleepEvery } = this.options;
    const { upstream = '' } = store;
    if (pruneEvery + sleepEvery === 0) return upstream;
    const nothing = (): void => undefined;
    const { endpoint } = await openLane({
      upstream,
      gates: this.gates,
      machine,
      fault: NO_FAULT,
      shownTime: (time) => store.shownTime(time),
      kill: nothing,
      stop: () => Promise.resolve(),
      hold: nothing,
    });
    return endpoint;
  }

  /** @throws what nobody expects; what does not hold is in `failures` */
  async run(): Promise<void> {
    const { races, say } = this.options;
    for (let race = 1; race <= races; race++) {
      const of = this.rng.fork(`race ${race}`);
      await this.race(race, of);
      this.counts.races = race;
      if (race % RACES_OF_DATASET === 0 || race === races) await this.endDataset(race);
      if (race % TOLD === 0) say(this.summary());
    }
  }

  summary(): string {
    const { races, ended, restored, forks, kills, refused, prunes, sleeps } = this.counts;
    const beside = `${kills} kills, ${prunes} prunes, ${sleeps} sleepers, ${refused} refused`;
    return `${races} races, ${ended} ended with 0, ${restored} restored, ${forks} forks, ${beside}, ${this.failures.length} failures, seed ${this.options.seed}`;
  }

  async close(): Promise<void> {
    for (const racer of this.racers.values()) await racer.close();
    this.gates.close();
  }

  private racer(name: string): Racer {
    const found = this.racers.get(name);
    if (!found) throw new Error(`no racer ${name}`);
    return found;
  }

  private datasetOf(race: number): string {
    return `race-${Math.ceil(race / RACES_OF_DATASET)}`;
  }

  private async race(race: number, rng: Rng): Promise<void> {
    const { pruneEvery, sleepEvery, store } = this.options;
    const [hasPrune, hasSleeper] = [pruneEvery, sleepEvery].map((every) => every > 0 && race % every === 0);
    const datasetId = this.datasetOf(race);
    // What was marked a while ago is swept beside the writers; what was killed long ago is marked.
    if (hasPrune === true && race > 1) await store.age(rng.pick([26, 26, 8 * 24]) * HOUR_MS);
    const writing = WRITERS.map((name) => this.write(name, datasetId, rng.fork(name)));
    const beside = [
      ...(hasPrune === true ? [this.prune(datasetId, rng.int(0, LONGEST_RUN_MS))] : []),
      ...(hasSleeper === true ? [this.oneSleeps(datasetId, rng)] : []),
    ];
    const [written] = await Promise.all([Promise.all(writing), ...beside]);
    await this.check(race, datasetId, written);
  }

  /** A writer with another content than the others. */
  private async write(name: string, datasetId: string, rng: Rng): Promise<Written> {
    const racer = this.racer(name);
    const { source } = racer;
    for (let file = 0; file < FILES; file++)
      if (rng.chance(0.5)) writeFileSync(join(source, `file-${file}`), rng.noise(rng.int(1, LARGEST)));
    writeFileSync(join(source, `of-${name}`), rng.noise(100));
    const tree = snapshot(source);
    const { url } = this.options.store;
    const flags = ['--dataset-id', datasetId, MASS_DELETE, '--json', '--quiet'];
    const command = rng.chance(0.7)
      ? ['sync', source, url, '--track-deletes']
      : ['upload', source, url, '--force-restart'];
    const isKilled = rng.chance(this.options.kills);
    const ran = await racer.run([...command, ...flags], isKilled ? rng.int(1, LONGEST_RUN_MS) : undefined);
    return { name, tree, ran };
  }

  private async prune(datasetId: string, afterMs: number): Promise<void> {
    await sleep(afterMs);
    const { url } = this.options.store;
    const which = ['--dataset-id', datasetId, '--keep-last', KEEP, MASS_DELETE, '--yes', '--json'];
    for (let left = 2; left > 0; left--) {
      const ran = await this.racer('pruner').run(['dataset', 'prune', url, ...which]);
      // 1: something changed that it goes by, or there is no version yet.
      if (ran?.status !== 0 && ran?.status !== 1) this.fail(`a prune ended with ${ran?.status}: ${ran?.stderr}`);
      this.counts.prunes += 1;
    }
    this.isPruned = true;
  }

  /** One of the writers stops somewhere, and what it has sent by then is marked as abandoned and swept. */
  private async oneSleeps(datasetId: string, rng: Rng): Promise<void> {
    const racer = this.racer(rng.pick(WRITERS));
    await sleep(rng.int(5, LONGEST_RUN_MS));
    await racer.signal('SIGSTOP');
    for (const hours of [8 * 24, 26]) {
      await this.options.store.age(hours * HOUR_MS);
      await this.prune(datasetId, 0);
    }
    this.counts.sleeps += 1;
    await racer.signal('SIGCONT');
  }

  private async check(race: number, datasetId: string, written: readonly Written[]): Promise<void> {
    const listed = await this.versions(datasetId);
    for (const { name, tree, ran } of written) {
      if (ran === undefined) {
        this.counts.kills += 1;
        continue;
      }
      if (ran.status !== 0) {
        this.counts.refused += 1;
        // A writer that slept, or whose chunks were swept, says that its version is not whole.
        if (!this.isPruned) this.fail(`race ${race}: ${name} ended with ${ran.status}: ${ran.stderr}${ran.stdout}`);
        continue;
      }
      this.counts.ended += 1;
      const { uploadId, noChanges } = JSON.parse(ran.stdout) as { uploadId: string; noChanges?: boolean };
      if (noChanges === true) continue;
      this.known.set(uploadId, tree);
      this.reported.push(uploadId);
      const own = listed.find((one) => one.uploadId === uploadId);
      if (own === undefined)
        this.fail(`race ${race}: ${name} ended with 0, and ${uploadId} is no version of ${datasetId}`);
      else await this.expectRestored(datasetId, own, listed);
    }
    this.counts.forks += forksOf(
      listed.filter(({ uploadId }) => written.some(({ ran }) => ran?.stdout.includes(uploadId))),
    );
  }

  private async expectRestored(datasetId: string, one: Listed, all: readonly Listed[]): Promise<void> {
    const tree = this.known.get(one.uploadId);
    if (tree === undefined) return;
    const output = join(this.options.folder, `out-${++this.outputs}`);
    mkdirSync(output);
    const selector = selectorOf(one, all);
    const which = ['--all', '--dataset-id', datasetId, '--version', selector, '--json', '--quiet'];
    const ran = await this.racer('reader').run(['restore', this.options.store.url, output, ...which]);
    const what = `${datasetId} ${selector} (${one.uploadId})`;
    if (ran?.status !== 0) this.fail(`${what} cannot be restored: ${ran?.stderr}${ran?.stdout}`);
    else {
      const found = differences(tree, snapshot(output));
      if (found.length > 0) this.fail(`${what} restores to something else: ${found.join('; ')}`);
    }
    this.counts.restored += 1;
    rmSync(output, { recursive: true, force: true });
  }

  /** Everything that is left of it is whole, and without a prune nothing is gone. */
  private async endDataset(race: number): Promise<void> {
    const datasetId = this.datasetOf(race);
    const listed = await this.versions(datasetId);
    for (const uploadId of this.reported)
      if (!this.isPruned && !listed.some((one) => one.uploadId === uploadId))
        this.fail(`${uploadId} of ${datasetId} is gone, and nothing was pruned`);
    // Where nothing was deleted in between, some of them do.
    const again = this.isPruned ? listed : listed.filter((_, index) => index % AGAIN === 0);
    for (const one of again) await this.expectRestored(datasetId, one, listed);
    this.known.clear();
    this.reported = [];
    this.isPruned = false;
  }

  private async versions(datasetId: string): Promise<readonly Listed[]> {
    const { url } = this.options.store;
    const ran = await this.racer('reader').run(['dataset', 'versions', url, '--dataset-id', datasetId, '--json']);
    // Where all were killed there is none.
    if (ran?.status === 1 && ran.stdout.includes('not-found')) return [];
    if (ran?.status !== 0) {
      this.fail(`the versions of ${datasetId} cannot be listed: ${ran?.stderr}${ran?.stdout}`);
      return [];
    }
    return (JSON.parse(ran.stdout) as { versions: readonly Listed[] }).versions;
  }

  private fail(what: string): void {
    this.failures.push(what);
    this.options.say(`FAILED ${what}`);
  }
}

const forksOf = (listed: readonly Listed[]): number =>
  listed.length - new Set(listed.map(({ version }) => version)).size;

/** How a version is asked for where several share a number. */
export function selectorOf(one: Listed, all: readonly Listed[]): string {
  const isForked = all.filter(({ version }) => version === one.version).length > 1;
  return isForked ? `v${one.version}.${one.fork ?? 'a'}` : `v${one.version}`;
}

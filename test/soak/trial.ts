// A small world beside the soak's own, for attacks that leave something behind: a store of its own, two machines and the
// same check. Nothing of it stays unless it failed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Checker, type Claim, type PruneRun } from './check.js';
import { MASS_DELETE, write, Writers, type Lane, type WriteCommand } from './commands.js';
import { datasetName, versionName } from './expectations.js';
import { NO_FAULT } from './fault-plan.js';
import type { Rng } from './prng.js';
import { HOUR_MS } from './step-plan.js';
import { makeMachine, SoakFailure, World, type Machine, type Run, type RunSettings } from './world.js';

export type Statuses = readonly (number | null)[];

export const DONE: Statuses = [0];
/** Done, or refused because somebody else was there. */
export const MAY_REFUSE: Statuses = [0, 1];
/** A guard refuses. */
export const GUARDED: Statuses = [4];

export const DATASET = 'trial';
const LANE = { base: '', datasetId: DATASET, flags: ['--dataset-id', DATASET] } as const;

/** Runs an attack in a place of its own. @throws SoakFailure */
export async function inTrial(parent: World, rng: Rng, work: (trial: Trial, rng: Rng) => Promise<void>): Promise<void> {
  const name = `trial-${parent.step}`;
  const folder = join(parent.folder, name);
  const store = await parent.store.beside(name);
  const machines = ['alpha', 'beta'].map((machine) => makeMachine(rng, folder, machine));
  const { seed, hasGrace } = parent;
  const world = new World({ seed, hasGrace, folder, store, machines, parent });
  try {
    await work(new Trial(world, rng.fork('check')), rng.fork('attack'));
  } finally {
    world.close();
  }
  await store.discard();
  rmSync(folder, { recursive: true, force: true });
}

export class Trial {
  checker: Checker;
  readonly writers: Writers;
  private claims: Claim[] = [];
  private prunes: PruneRun[] = [];
  private checks = 0;

  constructor(
    readonly world: World,
    private readonly rng: Rng,
  ) {
    this.checker = new Checker(world);
    this.writers = new Writers(world);
  }

  get alpha(): Machine {
    return this.world.machine('alpha');
  }

  lane(machine = 'alpha'): Lane {
    return { ...LANE, machine };
  }

  /** A writing command of any kind for the dataset that leaves the source as it is in a version. */
  drawWriter(rng: Rng): WriteCommand {
    const plain = this.writers.plainSync(this.lane());
    const flags = rng.pick([[], ['--enable-dedup'], ['--direct-upload', '--force-direct-upload']]);
    const upload = { ...plain, args: [...this.uploadArgs(), ...flags] };
    return rng.pick([plain, plain, { ...plain, args: [...plain.args, '--force'] }, upload]);
  }

  /** A full upload of the same. */
  uploadArgs(): readonly string[] {
    const [, ...args] = this.writers.plainSync(this.lane()).args;
    return ['upload', ...args.filter((flag) => flag !== '--track-deletes'), '--shard-count', '4'];
  }

  /** Of all that is in the store. */
  async keys(): Promise<readonly string[]> {
    return (await this.world.store.list()).map(({ key }) => key);
  }

  /** Changes the source, with something in it that takes a chunk or two of its own. */
  change(rng: Rng, machine = 'alpha'): void {
    this.world.machine(machine).source.mutate(rng);
  }

  /** Runs a writing command and remembers what it says. @throws SoakFailure for an exit status that is not allowed */
  async write(command: WriteCommand, allowed: Statuses, settings: RunSettings = {}): Promise<Run> {
    const { fault = NO_FAULT, ...others } = settings;
    this.world.say(this.world.describe({ machine: command.machine.name, args: command.args, fault }));
    const run = await write(this.world, command, fault, others);
    const claim = this.writers.claim(command, run);
    if (claim) this.claims.push(claim);
    this.expectEnd(run, allowed);
    return run;
  }

  async sync(allowed: Statuses = DONE, machine = 'alpha', flags: readonly string[] = []): Promise<Run> {
    const command = this.writers.plainSync(this.lane(machine));
    return await this.write({ ...command, args: [...command.args, ...flags] }, allowed);
  }

  /** Any other command of a machine. @throws SoakFailure for an exit status that is not allowed */
  async command(args: readonly string[], allowed: Statuses, machine = this.world.machine('beta')): Promise<Run> {
    const given = [...args, '--json'];
    this.world.say(this.world.describe({ machine: machine.name, args: given, fault: NO_FAULT }));
    const run = await this.world.run(machine, given);
    this.expectEnd(run, allowed);
    return run;
  }

  /** A prune of the dataset that may retire all but `entitled` versions. */
  async prune(flags: readonly string[] = [], allowed: Statuses = DONE, entitled = 99, keep = entitled): Promise<Run> {
    const place = ['dataset', 'prune', this.world.store.url, '--dataset-id', DATASET];
    const run = await this.command([...place, '--keep-last', String(keep), '--yes', ...flags], allowed);
    this.prunes.push({ dataset: datasetName(LANE), keep: entitled, run, isSure: false });
    return run;
  }

  async age(hours: number): Promise<void> {
    this.world.say(`${hours} hours pass in the store`);
    await this.world.store.age(hours * HOUR_MS);
  }

  /** All that somebody wrote so long ago that nobody can be at it any more is marked, and a day later deleted. */
  async sweep(allowed: Statuses = DONE, keep = 99): Promise<void> {
    await this.age(8 * 24);
    await this.prune([MASS_DELETE], allowed, keep);
    await this.age(26);
    await this.prune([MASS_DELETE], allowed, keep);
  }

  /** The dataset has been deleted, or made to look as it once did: what is known of its versions counts no more. */
  forget(): void {
    this.world.expectations.forget(datasetName(LANE));
    this.checker = new Checker(this.world);
    this.claims = [];
    this.prunes = [];
  }

  /** Every version that is listed is whole, and so is every one that was reported. @throws SoakFailure */
  async check(): Promise<void> {
    const result = { claims: this.claims, prunes: this.prunes };
    this.claims = [];
    this.prunes = [];
    await this.checker.check(this.rng.fork(`${++this.checks}`), result, true);
  }

  /** The versions that the command calls not whole, as it may where nothing could be done any more, are not asked for. */
  heed({ status, stdout, stderr }: Run): void {
    if (status === 0) return;
    for (const [what, version] of `${stdout}${stderr}`.matchAll(
      /version (\d+) of dataset \S+ (?:is not|was written, but may not be) whole[^\n"]*/g,
    )) {
      this.world.say(what);
      this.checker.excused.add(versionName({ ...LANE, version: Number(version) }));
    }
  }

  /** When the attack is over: the machine writes what it has, a sweep takes nothing of it, and all is well. */
  async settle(): Promise<void> {
    const isTold = this.checker.excused.size > 0;
    const { status } = await this.sync(isTold ? MAY_REFUSE : DONE);
    if (status !== 0) await this.sync(DONE, 'alpha', ['--force']);
    await this.check();
    // Nothing is deleted while a version cannot be read.
    await this.sweep(isTold ? MAY_REFUSE : DONE);
    await this.check();
  }

  expectEnd(run: Run, allowed: Statuses): void {
    if (run.isHit || allowed.includes(run.status)) return;
    throw new SoakFailure(
      `${this.world.describe(run)} ended with ${run.status} instead of ${allowed.join(' or ')}: ${run.stderr}${run.stdout.slice(0, 3000)}`,
    );
  }
}

// Steps that delete, move, mend or bring in from elsewhere, and what happens to machines and clocks.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MASS_DELETE, type Lane } from './commands.js';
import { damageCopy, repairInPlace, selfContained } from './damage.js';
import { datasetName } from './expectations.js';
import { NO_FAULT } from './fault-plan.js';
import type { Rng } from './prng.js';
import { OK, type StepContext } from './step-context.js';
import { HOUR_MS, type Planned } from './step-plan.js';
import type { Listed } from './survey.js';
import { SoakFailure, type Machine, type World } from './world.js';

export interface Prune {
  readonly machine: Machine;
  readonly args: readonly string[];
  readonly dataset: string;
  readonly keep: number;
  readonly label: string;
}

export class UpkeepSteps {
  private hasArchive = false;

  constructor(private readonly context: StepContext) {}

  private get world(): World {
    return this.context.world;
  }

  /** Draws a prune of the version's dataset; `isQuiet` when nothing runs beside it. */
  prune(
    rng: Rng,
    of: Listed,
    { isQuiet, keep = rng.int(1, 4) }: { isQuiet: boolean; keep?: number | undefined },
  ): Prune {
    const machine = this.world.machine(rng.pick(['alpha', 'beta']));
    const writer = of.base === '' ? [] : ['--writer-id', of.base.slice('/writers/'.length)];
    const grace = isQuiet && rng.chance(0.35) ? ['--instant'] : rng.pick([[], ['--grace', '2h'], ['--grace', '2h']]);
    const args = ['dataset', 'prune', this.world.store.url, '--dataset-id', of.datasetId, ...writer];
    args.push('--keep-last', String(keep), '--force', MASS_DELETE, '--json', ...(this.world.hasGrace ? grace : []));
    const label = this.world.describe({ machine: machine.name, args, fault: NO_FAULT });
    return { machine, args, keep, dataset: datasetName(of), label };
  }

  async pruneAlone(rng: Rng, { lane, keep: wantedKeep, fault: wanted }: Planned): Promise<void> {
    const { world, context } = this;
    const of = context.pickListed(rng, lane);
    if (!of) return;
    // With --instant nothing else may be on its way, before and after.
    await world.release();
    const { machine, args, keep, dataset } = this.prune(rng, of, { isQuiet: true, keep: wantedKeep });
    const fault = context.drawFault(rng, wanted);
    world.say(world.describe({ machine: machine.name, args, fault }));
    const run = await world.run(machine, args, { fault });
    context.prunes.push({ dataset, keep, run, isSure: run.status === 0 && !run.isHit });
    context.expectEnd(run, OK);
    await world.release();
    if (rng.chance(0.15)) context.queue.push({ kind: 'time', ms: 26 * HOUR_MS }, { kind: 'prune' });
  }

  /** Balance, or a repair of what is sound. */
  async onOne(rng: Rng, name: string, flags: readonly string[], lane?: Lane): Promise<void> {
    const { world, context } = this;
    const listed = context.pickListed(rng, lane);
    if (!listed) return;
    const args = [name, context.uploadUrl(listed), ...flags, '--json'];
    const machine = world.machine(rng.pick(['alpha', 'beta']));
    const fault = context.drawFault(rng);
    world.say(world.describe({ machine: machine.name, args, fault }));
    const run = await world.run(machine, args, { fault });
    // A repair of what is sound may refuse.
    context.expectEnd(run, name === 'repair' ? [0, 1] : OK);
  }

  async repair(rng: Rng): Promise<void> {
    await this.world.release();
    const targets = await selfContained(this.world, this.context.checker.listed);
    if (targets.length > 0) await repairInPlace(this.world, rng, rng.pick(targets));
  }

  async damageCopy(rng: Rng): Promise<void> {
    await this.world.release();
    const target = this.context.pickListed(rng);
    if (target) await damageCopy(this.world, rng, target);
  }

  /** A tar archive of a source, of now or of before, becomes a version. */
  async migrate(rng: Rng): Promise<void> {
    const { world, context } = this;
    const { source, ...machine } = world.machine('alpha');
    const path = join(world.folder, 'archive.tar');
    if (!this.hasArchive || rng.chance(0.7)) {
      this.hasArchive = true;
      const format = ['--format=posix', '--xattrs', '--sparse', '--sort=name'];
      execFileSync('tar', [...format, '-C', source.root, '-cf', path, '.']);
      world.expectations.begins('alpha', source.generation, source.now, [{ kind: 'exact' }]);
    }
    const temporary = join(world.folder, 'migration');
    mkdirSync(temporary, { recursive: true });
    const args = ['migrate', path, world.store.url, '--temp-dir', temporary, '--json', '--quiet'];
    const fault = context.drawFault(rng);
    world.say(world.describe({ machine: machine.name, args, fault }));
    context.expectEnd(await world.run(machine, args, { fault }), OK);
    rmSync(temporary, { recursive: true, force: true });
  }

  /** A base inside of the base is wiped; the check after the step looks at the outer one. */
  async scuttle(rng: Rng): Promise<void> {
    const { world, context } = this;
    const side = `${world.store.url}/side`;
    world.say('reader: sync to side/ and scuttle it');
    const folder = join(world.folder, 'side');
    mkdirSync(folder, { recursive: true });
    for (const name of ['a', 'b']) writeFileSync(join(folder, name), rng.noise(rng.int(1, 100_000)));
    const reader = world.reader();
    context.expectEnd(await world.run(reader, ['sync', folder, side, '--json', '--quiet']), OK);
    const scuttle = ['scuttle', side, '--force', '--json'];
    await world.run(reader, scuttle, { fault: context.drawFault(rng) });
    await world.release();
    context.expectEnd(await world.run(reader, scuttle), OK);
    reader.forget();
    const left = (await world.store.list()).filter(({ key }) => /^side\/(uploads|datasets)\//.test(key));
    if (left.length > 0) throw new SoakFailure(`scuttle left ${left.map(({ key }) => key).join(', ')}`);
  }

  /** All that is in the store becomes older. */
  async timePasses(rng: Rng, { ms, fault }: Planned): Promise<void> {
    const hours = ms ?? rng.pick([3, 26, 26, 8 * 24]) * HOUR_MS;
    await this.world.release();
    this.world.say(`${hours / HOUR_MS} hours pass in the store`);
    await this.world.store.age(hours);
    if (fault === undefined && rng.chance(0.4)) this.context.queue.push({ kind: 'prune' });
  }

  /** A machine loses its home, or gets an old one back. */
  changeHome(rng: Rng): void {
    const { name, home } = this.world.machine(rng.pick(['alpha', 'beta', 'gamma', 'gamma']));
    if (rng.chance(0.25)) {
      this.world.say(`${name} loses its home`);
      rmSync(home, { recursive: true, force: true });
    } else if (existsSync(`${home}-backup`) && rng.chance(0.6)) this.oldHome(name);
    else this.backUp(name);
  }

  backUp(name: string): void {
    const { home } = this.world.machine(name);
    if (!existsSync(home)) return;
    this.world.say(`the home of ${name} is backed up`);
    rmSync(`${home}-backup`, { recursive: true, force: true });
    execFileSync('cp', ['-a', home, `${home}-backup`]);
  }

  oldHome(name: string): void {
    const { home } = this.world.machine(name);
    if (!existsSync(`${home}-backup`)) return;
    this.world.say(`${name} gets an old home back`);
    rmSync(home, { recursive: true, force: true });
    execFileSync('cp', ['-a', `${home}-backup`, home]);
  }
}

// The steps of a soak. Each is drawn from its own random numbers, does something, and says what it is entitled to.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Checker, type Claim, type PruneRun, type StepResult } from './check.js';
import { chunkFlags, LANES, write, Writers, type Lane, type WriteCommand } from './commands.js';
import { damageCopy, repairInPlace, selfContained } from './damage.js';
import { datasetName } from './expectations.js';
import { anyFault, describeFault, lateKill, NO_FAULT, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { differences } from './snapshot.js';
import { restoreVersion, type Listed } from './survey.js';
import { SoakFailure, type Machine, type Run, type World } from './world.js';

type StepKind =
  | 'write'
  | 'race'
  | 'resume'
  | 'elsewhere'
  | 'prune'
  | 'balance'
  | 'repair'
  | 'force-repair'
  | 'copy'
  | 'migrate'
  | 'scuttle'
  | 'time'
  | 'home'
  | 'interrupt';

interface Planned {
  readonly kind: StepKind;
  readonly lane?: Lane;
  readonly fault?: 'late' | 'none';
  readonly ms?: number;
}

/** What one command of a race did. */
interface Doing {
  readonly label: string;
  readonly run: (fault: Fault, resumed?: Promise<unknown>) => Promise<void>;
}

const WEIGHTS: Readonly<Record<StepKind, number>> = {
  write: 26,
  race: 20,
  resume: 6,
  elsewhere: 5,
  prune: 10,
  balance: 6,
  repair: 4,
  'force-repair': 2,
  copy: 4,
  migrate: 3,
  scuttle: 2,
  time: 5,
  home: 4,
  interrupt: 14,
};

const HOUR = 3_600_000;
const OK: readonly (number | null)[] = [0];
const MAY_FAIL: readonly (number | null)[] = [0, 1, 3];

export class Steps {
  private readonly writers: Writers;
  private readonly weights: Readonly<Record<StepKind, number>>;
  private readonly queue: Planned[] = [];
  private claims: Claim[] = [];
  private prunes: PruneRun[] = [];
  private archives = 0;

  constructor(
    private readonly world: World,
    private readonly checker: Checker,
    without: readonly string[],
  ) {
    this.weights = Object.fromEntries(
      Object.entries(WEIGHTS).map(([kind, weight]) => [kind, without.includes(kind) ? 0 : weight]),
    ) as Record<StepKind, number>;
    this.writers = new Writers(world);
  }

  /** Does one step. @throws SoakFailure */
  async step(rng: Rng): Promise<StepResult> {
    this.claims = [];
    this.prunes = [];
    await this.world.release(rng.int(0, 3));
    const planned = this.queue.shift() ?? { kind: rng.weighted(this.weights) };
    if (this.weights[planned.kind] > 0) await this.carryOut(planned, rng);
    return { claims: this.claims, prunes: this.prunes };
  }

  /** When all faults are over: each lane syncs, and its newest version is its source. */
  async finish(): Promise<StepResult> {
    this.claims = [];
    this.prunes = [];
    await this.world.release();
    for (const lane of LANES) await this.write(this.writers.plainSync(lane), NO_FAULT, OK);
    return { claims: this.claims, prunes: this.prunes };
  }

  private async carryOut({ kind, lane, fault, ms }: Planned, rng: Rng): Promise<void> {
    const { world } = this;
    const steps: Readonly<Record<StepKind, () => Promise<void>>> = {
      write: () => this.writeStep(rng, lane ?? rng.pick(LANES), fault),
      race: () => this.race(rng),
      resume: () => this.resume(rng, world.machine(lane?.machine ?? rng.pick(['alpha', 'beta', 'gamma'])), fault),
      elsewhere: () => this.resumeElsewhere(rng),
      prune: () => this.pruneStep(rng),
      balance: () => this.onOne(rng, 'balance', ['--execute', '--threshold', '1']),
      repair: () => this.repairStep(rng),
      'force-repair': () => this.onOne(rng, 'repair', ['--execute', '--force']),
      copy: () => this.copyStep(rng),
      migrate: () => this.migrate(rng),
      scuttle: () => this.scuttle(rng),
      time: () => this.timePasses(rng, ms ?? rng.pick([3 * HOUR, 26 * HOUR, 26 * HOUR, 8 * 24 * HOUR])),
      home: () => this.changeHome(rng),
      interrupt: () => this.interrupt(rng),
    };
    await steps[kind]();
  }

  private get hasRequests(): boolean {
    return this.world.store.upstream !== undefined;
  }

  private drawFault(rng: Rng, wanted?: 'late' | 'none'): Fault {
    if (wanted !== undefined) return wanted === 'none' ? NO_FAULT : lateKill(rng, this.hasRequests);
    return rng.chance(0.45) ? anyFault(rng, this.hasRequests) : NO_FAULT;
  }

  // Writing

  private async writeStep(rng: Rng, lane: Lane, wanted?: 'late' | 'none'): Promise<void> {
    const command = await this.writers.draw(rng, lane, this.checker.listed);
    await this.write(command, this.drawFault(rng, wanted), OK);
  }

  private async write(
    command: WriteCommand,
    fault: Fault,
    allowed: readonly (number | null)[],
    resumed?: Promise<unknown>,
  ): Promise<void> {
    this.world.say(this.world.describe({ machine: command.machine.name, args: command.args, fault }));
    const run = await write(this.world, command, fault, resumed);
    const claim = this.writers.claim(command, run);
    if (claim) this.claims.push(claim);
    const isRestricted = command.machine.denied?.test('ListObjectsV2') === true;
    this.expectEnd(run, isRestricted ? MAY_FAIL : allowed);
  }

  private expectEnd(run: Run, allowed: readonly (number | null)[]): void {
    if (run.isHit || allowed.includes(run.status)) return;
    throw new SoakFailure(
      `${this.world.describe(run)} ended with ${run.status}: ${run.stderr}${run.stdout.slice(0, 3000)}`,
    );
  }

  /** A writer dies near its end, something else happens, and the machine goes on. */
  private async interrupt(rng: Rng): Promise<void> {
    const lane = rng.pick(LANES);
    const between = rng.pick<readonly Planned[]>([
      [],
      [{ kind: 'prune' }],
      [{ kind: 'write', fault: 'none' }],
      [{ kind: 'write', lane, fault: 'none' }],
      [{ kind: 'write', lane, fault: 'none' }, { kind: 'prune' }],
      [{ kind: 'resume', lane, fault: 'late' }],
      [{ kind: 'resume', lane, fault: 'late' }, { kind: 'time', ms: 8 * 24 * HOUR }, { kind: 'prune' }],
      [{ kind: 'elsewhere' }],
      [{ kind: 'balance' }],
      [{ kind: 'time', ms: 26 * HOUR }, { kind: 'prune' }],
    ]);
    const after: Planned = rng.chance(0.6)
      ? { kind: 'resume', lane, fault: 'none' }
      : { kind: 'write', lane, fault: 'none' };
    this.queue.push(...between, after);
    await this.writeStep(rng, lane, 'late');
  }

  private async resume(rng: Rng, machine: Machine, wanted?: 'late' | 'none'): Promise<void> {
    const fault = this.drawFault(rng, wanted);
    const saved = await this.savedUploads(machine);
    if (rng.chance(0.3)) machine.source.mutate(rng.fork('source'));
    const args = ['resume', ...(saved.length > 0 ? [rng.pick(saved)] : []), '--json', '--quiet'];
    await this.write({ ...this.resuming(machine), args, machine }, fault, saved.length > 0 ? OK : [1, 0]);
  }

  private resuming({ name }: Machine): Omit<WriteCommand, 'args' | 'machine'> {
    const modes = this.world.expectations.modesToResume(name);
    const base = name === 'gamma' ? '/writers/fleet' : '';
    return { base, modes, isFresh: false, isAboutHead: false };
  }

  private async savedUploads(machine: Machine): Promise<string[]> {
    const run = await this.world.run(machine, ['resume', 'list', '--json']);
    const uploads = (run.document['uploads'] ?? []) as readonly Record<string, unknown>[];
    return uploads.map(({ uploadId }) => String(uploadId)).sort();
  }

  /** Another computer takes up what one has begun, or anything else that lies in the store. */
  private async resumeElsewhere(rng: Rng): Promise<void> {
    const { world } = this;
    const [owner, other] = rng.pick([
      ['alpha', 'beta'],
      ['beta', 'alpha'],
    ] as const);
    const objects = await world.store.list();
    const inStore = [...new Set(objects.flatMap(({ key }) => /^uploads\/([^/]+)\//.exec(key)?.[1] ?? []))].sort();
    const saved = await this.savedUploads(world.machine(owner));
    const choices = saved.length > 0 && rng.chance(0.6) ? saved : inStore;
    if (choices.length === 0) return;
    const { source } = world.machine(owner);
    const which = ['--resume', '--upload-id', rng.pick(choices), '--skip-existing'];
    const args = [
      'create',
      'upload',
      source.root,
      '-b',
      world.store.url,
      ...which,
      ...chunkFlags(rng),
      '--json',
      '--quiet',
    ];
    const machine = { ...world.machine(other), name: other, source };
    const fault = this.drawFault(rng);
    world.say(world.describe({ machine: other, args, fault }));
    const modes = [{ kind: 'exact' }] as const;
    world.expectations.begins(owner, source.generation, source.now, modes);
    const run = await world.run(machine, args, { fault });
    const claim = this.writers.claim(
      { machine: world.machine(owner), base: '', args, modes, isFresh: false, isAboutHead: true },
      run,
    );
    if (claim) this.claims.push(claim);
    this.expectEnd(run, MAY_FAIL);
  }

  // Two at once

  private async race(rng: Rng): Promise<void> {
    const first = await this.doing(rng.fork('first'), 'write');
    const second = await this.doing(
      rng.fork('second'),
      rng.weighted({ write: 40, same: 12, prune: 20, balance: 8, restore: 15, resume: 5 }),
    );
    const both = [
      first,
      second,
      ...(rng.chance(0.2) ? [await this.doing(rng.fork('third'), rng.pick(['prune', 'restore', 'write']))] : []),
    ];
    const faults = both.map((_one, index) =>
      rng.fork(`fault ${index}`).chance(0.35) ? anyFault(rng, this.hasRequests) : NO_FAULT,
    );
    const isSuspended = rng.chance(0.2);
    if (isSuspended) faults[0] = { kind: 'suspend', afterMs: rng.int(200, 900) };
    this.world.say(
      `at once: ${both.map(({ label }, index) => `${label}${describeFault(faults[index] ?? NO_FAULT)}`).join('  &  ')}`,
    );
    const others = both.slice(1).map(({ run }, index) => run(faults[index + 1] ?? NO_FAULT));
    const [main] = both;
    const results = await Promise.allSettled([main?.run(faults[0] ?? NO_FAULT, Promise.allSettled(others)), ...others]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async doing(rng: Rng, kind: 'write' | 'same' | 'prune' | 'balance' | 'restore' | 'resume'): Promise<Doing> {
    const { world } = this;
    const { listed } = this.checker;
    if (kind === 'resume') {
      const machine = world.machine(rng.pick(['alpha', 'beta']));
      const command = { ...this.resuming(machine), machine, args: ['resume', '--json', '--quiet'] };
      return {
        label: `${machine.name}: resume`,
        run: (fault, resumed) => this.write(command, fault, MAY_FAIL, resumed),
      };
    }
    if (kind === 'prune' && listed.length > 0) {
      const { label, args, machine, dataset, keep } = this.prune(rng, rng.pick(listed), false);
      return {
        label,
        run: async (fault) => {
          const run = await world.run(machine, args, { fault });
          this.prunes.push({ dataset, keep, run, isSure: false });
          this.expectEnd(run, MAY_FAIL);
        },
      };
    }
    if (kind === 'restore' && listed.length > 0) return this.restoring(rng.pick(listed));
    if (kind === 'balance' && listed.length > 0) {
      const args = ['balance', this.uploadUrl(rng.pick(listed)), '--execute', '--threshold', '1', '--json'];
      return {
        label: `beta: ${args.join(' ')}`,
        run: async (fault) => this.expectEnd(await world.run(world.machine('beta'), args, { fault }), MAY_FAIL),
      };
    }
    const lane = kind === 'same' ? (LANES[2] as Lane) : rng.pick(LANES);
    const command = await this.writers.draw(rng, lane, listed);
    return {
      label: world.describe({ machine: command.machine.name, args: command.args, fault: NO_FAULT }),
      run: (fault, resumed) => this.write(command, fault, MAY_FAIL, resumed),
    };
  }

  /** A restore that runs beside something else gives the version whole, or says that there is none. */
  private restoring(listed: Listed): Doing {
    const { world } = this;
    return {
      label: `reader: restore ${datasetName(listed)} v${listed.version}`,
      run: async () => {
        const expected = world.expectations.treeOf(listed);
        const { run, tree } = await restoreVersion(world, world.store, listed);
        const isPruning = this.prunes.some(({ dataset }) => dataset === datasetName(listed)) || !world.hasGrace;
        if (run.status === 0 && expected) {
          const found = differences(expected, tree);
          if (found.length > 0)
            throw new SoakFailure(`${world.describe(run)} gave something else:\n  ${found.join('\n  ')}`);
        } else if (run.status !== 0 && !(isPruning && (tree.size === 0 || !world.hasGrace)))
          throw new SoakFailure(
            `${world.describe(run)} ended with ${run.status} beside other commands: ${run.stderr}${run.stdout.slice(0, 2000)}`,
          );
      },
    };
  }

  // What deletes and moves

  private prune(rng: Rng, of: Listed, isQuiet: boolean) {
    const keep = rng.int(1, 4);
    const machine = this.world.machine(rng.pick(['alpha', 'beta']));
    const writer = of.base === '' ? [] : ['--writer-id', of.base.slice('/writers/'.length)];
    const instant = isQuiet && rng.chance(0.35) ? ['--instant'] : rng.pick([[], ['--grace', '2h'], ['--grace', '2h']]);
    const args = ['dataset', 'prune', this.world.store.url, '--dataset-id', of.datasetId, ...writer];
    args.push('--keep-last', String(keep), '--force', '--json', ...(this.world.hasGrace ? instant : []));
    return {
      machine,
      args,
      keep,
      dataset: datasetName(of),
      label: this.world.describe({ machine: machine.name, args, fault: NO_FAULT }),
    };
  }

  private async pruneStep(rng: Rng): Promise<void> {
    const { world, checker } = this;
    if (checker.listed.length === 0) return;
    await world.release();
    const { machine, args, keep, dataset } = this.prune(rng, rng.pick(checker.listed), true);
    const fault = this.drawFault(rng);
    world.say(world.describe({ machine: machine.name, args, fault }));
    const run = await world.run(machine, args, { fault });
    this.prunes.push({ dataset, keep, run, isSure: run.status === 0 && fault.kind === 'none' });
    this.expectEnd(run, OK);
    // With --instant nothing else may be on its way.
    await world.release();
    if (rng.chance(0.15)) this.queue.push({ kind: 'time', ms: 26 * HOUR }, { kind: 'prune' });
  }

  private uploadUrl({ base, uploadId }: Listed): string {
    return `${this.world.store.url}${base}/uploads/${uploadId}`;
  }

  private async onOne(rng: Rng, name: string, flags: readonly string[]): Promise<void> {
    const { world, checker } = this;
    if (checker.listed.length === 0) return;
    const args = [name, this.uploadUrl(rng.pick(checker.listed)), ...flags, '--json'];
    const machine = world.machine(rng.pick(['alpha', 'beta']));
    const fault = this.drawFault(rng);
    world.say(world.describe({ machine: machine.name, args, fault }));
    const run = await world.run(machine, args, { fault });
    // A repair of what is sound may refuse.
    this.expectEnd(run, name === 'repair' ? [0, 1] : OK);
  }

  private async repairStep(rng: Rng): Promise<void> {
    await this.world.release();
    const targets = await selfContained(this.world, this.checker.listed);
    if (targets.length > 0) await repairInPlace(this.world, rng, rng.pick(targets));
  }

  private async copyStep(rng: Rng): Promise<void> {
    await this.world.release();
    if (this.checker.listed.length > 0) await damageCopy(this.world, rng, rng.pick(this.checker.listed));
  }

  private async migrate(rng: Rng): Promise<void> {
    const { world } = this;
    const { source, ...machine } = world.machine('alpha');
    const path = join(world.folder, 'archive.tar');
    if (this.archives === 0 || rng.chance(0.7)) {
      this.archives = source.generation;
      const format = ['--format=posix', '--xattrs', '--sparse', '--sort=name'];
      execFileSync('tar', [...format, '-C', source.root, '-cf', path, '.']);
      world.expectations.begins('alpha', source.generation, source.now, [{ kind: 'exact' }]);
    }
    const temporary = join(world.folder, 'migration');
    mkdirSync(temporary, { recursive: true });
    const args = ['migrate', path, world.store.url, '--temp-dir', temporary, '--json', '--quiet'];
    const fault = this.drawFault(rng);
    world.say(world.describe({ machine: machine.name, args, fault }));
    this.expectEnd(await world.run(machine, args, { fault }), OK);
    rmSync(temporary, { recursive: true, force: true });
  }

  /** A base inside of the base is wiped; the check after the step looks at the outer one. */
  private async scuttle(rng: Rng): Promise<void> {
    const { world } = this;
    const machine = world.machine('alpha');
    const side = `${world.store.url}/side`;
    world.say('alpha: upload to side/ and scuttle it');
    // A folder of its own, so that no state of the other datasets is touched.
    const folder = join(world.folder, 'side');
    mkdirSync(folder, { recursive: true });
    cpSync(machine.source.root, folder, { recursive: true, filter: (path) => !path.includes('x.d') });
    const reader = world.reader();
    this.expectEnd(await world.run(reader, ['sync', folder, side, '--json', '--quiet']), OK);
    const scuttle = ['scuttle', side, '--force', '--json'];
    await world.run(reader, scuttle, { fault: this.drawFault(rng) });
    await world.release();
    this.expectEnd(await world.run(reader, scuttle), OK);
    reader.forget();
    const left = (await world.store.list()).filter(({ key }) => /^side\/(uploads|datasets)\//.test(key));
    if (left.length > 0) throw new SoakFailure(`scuttle left ${left.map(({ key }) => key).join(', ')}`);
  }

  // What happens to machines and clocks

  private async timePasses(rng: Rng, ms: number): Promise<void> {
    await this.world.release();
    this.world.say(`${ms / HOUR} hours pass in the store`);
    await this.world.store.age(ms);
    if (rng.chance(0.4)) this.queue.push({ kind: 'prune' });
  }

  /** A machine loses its home, or gets an old one back. */
  private async changeHome(rng: Rng): Promise<void> {
    const { name, home } = this.world.machine(rng.pick(['alpha', 'beta', 'gamma', 'gamma']));
    const backup = `${home}-backup`;
    if (rng.chance(0.25)) {
      this.world.say(`${name} loses its home`);
      rmSync(home, { recursive: true, force: true });
    } else if (existsSync(backup) && rng.chance(0.6)) {
      this.world.say(`${name} gets an old home back`);
      rmSync(home, { recursive: true, force: true });
      execFileSync('cp', ['-a', backup, home]);
    } else if (existsSync(home)) {
      this.world.say(`the home of ${name} is backed up`);
      rmSync(backup, { recursive: true, force: true });
      execFileSync('cp', ['-a', home, backup]);
    }
  }
}

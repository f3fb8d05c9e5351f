// Two or three commands at once, one of them stopped for a while, perhaps.
import { LANES, type Lane } from './commands.js';
import { datasetName } from './expectations.js';
import { anyFault, describeFault, NO_FAULT, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { differences } from './snapshot.js';
import { MAY_FAIL, OK, type StepContext } from './step-context.js';
import { restoreVersion, type Listed } from './survey.js';
import type { UpkeepSteps } from './upkeep-steps.js';
import { SoakFailure } from './world.js';
import type { WriteSteps } from './write-steps.js';

interface Doing {
  readonly label: string;
  /** It changes or removes what others have written. */
  readonly isMoving: boolean;
  readonly run: (fault: Fault, isBesideMoves: boolean, whileStopped: () => Promise<unknown>) => Promise<void>;
}

const SECOND = { write: 35, same: 15, prune: 22, balance: 8, restore: 15, resume: 5 } as const;
type RaceKind = keyof typeof SECOND;

export class RaceStep {
  constructor(
    private readonly context: StepContext,
    private readonly writing: WriteSteps,
    private readonly upkeep: UpkeepSteps,
  ) {}

  /** Starts them together and waits for all. */
  async run(rng: Rng): Promise<void> {
    const lane = rng.chance(0.12) ? this.newLane() : rng.pick(LANES);
    const kinds: RaceKind[] = ['same', lane.datasetId?.startsWith('first-') === true ? 'same' : rng.weighted(SECOND)];
    if (rng.chance(0.2)) kinds.push(rng.pick(['prune', 'restore', 'write']));
    const all: Doing[] = [];
    for (const [index, kind] of kinds.entries())
      all.push(await this.doing(rng.fork(`command ${index}`), kind, index === 1 ? rivalOf(rng, lane) : lane));
    const faults = all.map((_one, index) => this.faultOf(rng.fork(`fault ${index}`)));
    if (rng.chance(0.25)) faults[0] = { kind: 'suspend', afterMs: rng.int(200, 1500) };
    const shown = all.map(({ label }, index) => `${label}${describeFault(faults[index] ?? NO_FAULT)}`);
    this.context.world.say(`at once: ${shown.join('  &  ')}`);
    const start = (index: number, whileStopped = (): Promise<unknown> => Promise.resolve()): Promise<void> => {
      const isBesideMoves = all.some(({ isMoving }, other) => isMoving && other !== index);
      return all[index]?.run(faults[index] ?? NO_FAULT, isBesideMoves, whileStopped) ?? Promise.resolve();
    };
    const others = all.slice(1).map((_one, index) => start(index + 1));
    const results = await Promise.allSettled([start(0, () => Promise.allSettled(others)), ...others]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private faultOf(rng: Rng): Fault {
    return rng.chance(0.45) ? anyFault(rng, this.context.hasRequests) : NO_FAULT;
  }

  /** A dataset that has no version yet: both write its first. */
  private newLane(): Lane {
    const datasetId = `first-${this.context.world.step}`;
    return { machine: 'alpha', base: '', datasetId, flags: ['--dataset-id', datasetId] };
  }

  private async doing(rng: Rng, kind: RaceKind, lane: Lane): Promise<Doing> {
    const { world } = this.context;
    const listed = this.context.pickListed(rng, rng.chance(0.7) ? lane : undefined);
    if (kind === 'resume') {
      const machine = world.machine(rng.pick(['alpha', 'beta']));
      const command = { ...this.writing.resuming(machine), args: ['resume', '--json', '--quiet'] };
      const run: Doing['run'] = (fault, _isBeside, whileStopped) =>
        this.context.write(command, fault, MAY_FAIL, { whileStopped });
      return { label: `${machine.name}: resume`, isMoving: false, run };
    }
    if (listed && kind === 'prune') return this.pruning(rng, listed);
    if (listed && kind === 'restore') return this.restoring(listed);
    if (listed && kind === 'balance') return this.balancing(listed);
    const of = kind === 'same' || kind === 'prune' ? lane : rng.pick(LANES);
    const command = await this.context.writers.draw(rng, of, this.context.checker.listed);
    const mayFail = command.args.includes('--prev-manifest') || command.args.includes('--resume');
    return {
      label: world.describe({ machine: command.machine.name, args: command.args, fault: NO_FAULT }),
      isMoving: false,
      run: (fault, isBesideMoves, whileStopped) =>
        this.context.write(command, fault, isBesideMoves || mayFail ? MAY_FAIL : OK, { whileStopped }),
    };
  }

  private pruning(rng: Rng, listed: Listed): Doing {
    const { label, args, machine, dataset, keep } = this.upkeep.prune(rng, listed, { isQuiet: false });
    return {
      label,
      isMoving: true,
      run: async (fault) => {
        const run = await this.context.world.run(machine, args, { fault });
        this.context.prunes.push({ dataset, keep, run, isSure: false });
        this.context.expectEnd(run, MAY_FAIL);
      },
    };
  }

  private balancing(listed: Listed): Doing {
    const { world } = this.context;
    const args = ['balance', this.context.uploadUrl(listed), '--execute', '--threshold', '1', '--json'];
    const run: Doing['run'] = async (fault) =>
      this.context.expectEnd(await world.run(world.machine('beta'), args, { fault }), MAY_FAIL);
    return { label: world.describe({ machine: 'beta', args, fault: NO_FAULT }), isMoving: true, run };
  }

  /** A restore that runs beside something else gives the version whole, or says that there is none. */
  private restoring(listed: Listed): Doing {
    const { world } = this.context;
    const run: Doing['run'] = async (_fault, isBesideMoves) => {
      const expected = world.expectations.treeOf(listed);
      const { run: restore, tree } = await restoreVersion(world, world.store, listed);
      const name = world.describe(restore);
      if (restore.status === 0) {
        const found = expected ? differences(expected, tree) : [];
        if (found.length > 0) throw new SoakFailure(`${name} gave something else:\n  ${found.join('\n  ')}`);
        return;
      }
      // Without a grace a version may go while it is read; with it, only before.
      if (isBesideMoves && (tree.size === 0 || !world.hasGrace)) return;
      throw new SoakFailure(
        `${name} ended with ${restore.status} beside other commands: ${restore.stderr}${restore.stdout.slice(0, 2000)}`,
      );
    };
    return { label: `reader: restore ${datasetName(listed)} v${listed.version}`, isMoving: false, run };
  }
}

/** Whoever writes to the same dataset, from another machine where there is one. */
function rivalOf(rng: Rng, lane: Lane): Lane {
  if (lane.datasetId === undefined || lane.base !== '' || rng.chance(0.2)) return lane;
  return { ...lane, machine: lane.machine === 'alpha' ? 'beta' : 'alpha' };
}

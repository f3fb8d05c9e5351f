// The steps of a soak. Each is drawn from its own random numbers, does something, and says what it is entitled to.
import type { Checker, StepResult } from './check.js';
import { clones } from './clone-trials.js';
import { LANES, Writers, type Lane } from './commands.js';
import { forged } from './forged-trial.js';
import { NO_FAULT } from './fault-plan.js';
import type { Rng } from './prng.js';
import { RaceStep } from './race-step.js';
import { scuttleBeside, sleeper } from './sleep-trials.js';
import { moved, shrunk } from './source-trials.js';
import { OK, StepContext } from './step-context.js';
import { staleHome, WEIGHTS, type Planned, type StepKind } from './step-plan.js';
import { olderStore, rot, vanished } from './store-trials.js';
import { inTrial } from './trial.js';
import { UpkeepSteps } from './upkeep-steps.js';
import type { World } from './world.js';
import { WriteSteps } from './write-steps.js';

export class Steps {
  private readonly context: StepContext;
  private readonly writing: WriteSteps;
  private readonly upkeep: UpkeepSteps;
  private readonly race: RaceStep;
  private readonly weights: Readonly<Record<StepKind, number>>;

  constructor(
    private readonly world: World,
    checker: Checker,
    private readonly isLeftOut: (kind: StepKind) => boolean,
  ) {
    this.context = new StepContext(world, checker, new Writers(world));
    this.writing = new WriteSteps(this.context);
    this.upkeep = new UpkeepSteps(this.context);
    this.race = new RaceStep(this.context, this.writing, this.upkeep);
    this.weights = Object.fromEntries(
      (Object.entries(WEIGHTS) as [StepKind, number][]).map(([kind, weight]) => [kind, isLeftOut(kind) ? 0 : weight]),
    ) as Record<StepKind, number>;
  }

  /** Does one step. @throws SoakFailure */
  async step(rng: Rng): Promise<StepResult> {
    await this.world.release(rng.int(0, 3));
    const planned = this.context.queue.shift() ?? { kind: rng.weighted(this.weights) };
    return await this.resultOf(async () => {
      if (!this.isLeftOut(planned.kind)) await this.carryOut(planned, rng);
    });
  }

  /** When all faults are over: each lane syncs, and its newest version is its source. */
  async finish(): Promise<StepResult> {
    await this.world.release();
    return await this.resultOf(async () => {
      for (const lane of LANES) await this.context.write(this.context.writers.plainSync(lane), NO_FAULT, OK);
    });
  }

  private async resultOf(work: () => Promise<void>): Promise<StepResult> {
    this.context.claims = [];
    this.context.prunes = [];
    await work();
    return { claims: this.context.claims, prunes: this.context.prunes };
  }

  private async carryOut(planned: Planned, rng: Rng): Promise<void> {
    const { writing, upkeep, world } = this;
    const lane: Lane = planned.lane ?? rng.pick(LANES);
    const steps: Readonly<Record<StepKind, () => Promise<void> | void>> = {
      write: () => writing.write(rng, lane, planned.fault),
      again: () => writing.again(rng, lane, planned.fault),
      interrupt: () => writing.interrupt(rng, lane),
      resume: () => writing.resume(rng, world.machine(lane.machine), planned.fault),
      elsewhere: () => writing.resumeElsewhere(rng),
      race: () => this.race.run(rng),
      prune: () => upkeep.pruneAlone(rng, planned),
      balance: () => upkeep.onOne(rng, 'balance', ['--execute', '--threshold', '1'], planned.lane),
      repair: () => upkeep.repair(rng),
      'force-repair': () => upkeep.onOne(rng, 'repair', ['--execute', '--force']),
      copy: () => upkeep.damageCopy(rng),
      migrate: () => upkeep.migrate(rng),
      scuttle: () => upkeep.scuttle(rng),
      time: () => upkeep.timePasses(rng, planned),
      home: () => upkeep.changeHome(rng),
      stale: () => void this.context.queue.push(...staleHome(rng)),
      backup: () => upkeep.backUp(lane.machine),
      'old-home': () => upkeep.oldHome(lane.machine),
      sleeper: () => inTrial(world, rng, sleeper),
      scuttled: () => inTrial(world, rng, scuttleBeside),
      clone: () => inTrial(world, rng, clones),
      forged: () => inTrial(world, rng, forged),
      vanished: () => inTrial(world, rng, vanished),
      'old-store': () => inTrial(world, rng, olderStore),
      rot: () => inTrial(world, rng, rot),
      shrunk: () => inTrial(world, rng, shrunk),
      moved: () => inTrial(world, rng, moved),
    };
    await steps[planned.kind]();
  }
}

// What all steps share: the claims and entitlements of the step, and running a writing command.
import type { Checker, Claim, PruneRun } from './check.js';
import { write, type Lane, type WriteCommand, type Writers } from './commands.js';
import { anyFault, lateKill, NO_FAULT, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import type { Planned } from './step-plan.js';
import type { Listed } from './survey.js';
import { SoakFailure, type Run, type RunSettings, type World } from './world.js';

/** Exit statuses of a command that nothing disturbed. */
export const OK: readonly (number | null)[] = [0];
/** Of one that something else got in the way of, or that asks for what may not be there or have other settings. */
export const MAY_FAIL: readonly (number | null)[] = [0, 1, 2, 3];

export class StepContext {
  readonly queue: Planned[] = [];
  claims: Claim[] = [];
  prunes: PruneRun[] = [];

  constructor(
    readonly world: World,
    readonly checker: Checker,
    readonly writers: Writers,
  ) {}

  get hasRequests(): boolean {
    return this.world.store.upstream !== undefined;
  }

  /** The fault of a command that runs alone. */
  drawFault(rng: Rng, wanted?: 'late' | 'none'): Fault {
    if (wanted !== undefined) return wanted === 'none' ? NO_FAULT : lateKill(rng, this.hasRequests);
    return rng.chance(0.55) ? anyFault(rng, this.hasRequests) : NO_FAULT;
  }

  /** Runs a writing command and takes its word. @throws SoakFailure when it ends in a way that nothing explains */
  async write(
    command: WriteCommand,
    fault: Fault,
    allowed: readonly (number | null)[],
    settings: Omit<RunSettings, 'fault'> = {},
  ): Promise<void> {
    this.world.say(this.world.describe({ machine: command.machine.name, args: command.args, fault }));
    const run = await write(this.world, command, fault, settings);
    const claim = this.writers.claim(command, run);
    if (claim) this.claims.push(claim);
    const isRestricted = command.machine.denied?.test('ListObjectsV2') === true;
    this.expectEnd(run, isRestricted || command.mayFail === true ? MAY_FAIL : allowed);
  }

  /** @throws SoakFailure when no fault explains the exit status */
  expectEnd(run: Run, allowed: readonly (number | null)[]): void {
    if (run.isHit || allowed.includes(run.status)) return;
    throw new SoakFailure(
      `${this.world.describe(run)} ended with ${run.status}: ${run.stderr}${run.stdout.slice(0, 3000)}`,
    );
  }

  /** One of the lane's versions, or of all where it has none. */
  pickListed(rng: Rng, lane?: Lane): Listed | undefined {
    const { listed } = this.checker;
    const own = lane === undefined ? [] : this.writers.versionsOf(lane, listed);
    if (own.length > 0) return rng.pick(own);
    return listed.length > 0 ? rng.pick(listed) : undefined;
  }

  uploadUrl({ base, uploadId }: Listed): string {
    return `${this.world.store.url}${base}/uploads/${uploadId}`;
  }
}

// Steps in which one machine writes, dies, or takes up what was interrupted.
import { chunkFlags, MASS_DELETE, type Lane, type WriteCommand } from './commands.js';
import type { Rng } from './prng.js';
import { MAY_FAIL, OK, type StepContext } from './step-context.js';
import { afterInterruption, type Planned } from './step-plan.js';
import type { Machine } from './world.js';

export class WriteSteps {
  private wentElsewhere = false;

  private readonly last = new Map<Lane, WriteCommand>();

  constructor(private readonly context: StepContext) {}

  /** Any writing command. */
  async write(rng: Rng, lane: Lane, wanted?: Planned['fault']): Promise<void> {
    const { writers, checker } = this.context;
    const command = await writers.draw(rng, lane, checker.listed);
    this.last.set(lane, command);
    await this.context.write(command, this.context.drawFault(rng, wanted), OK);
  }

  /** The lane's last command once more. */
  async again(rng: Rng, lane: Lane, wanted?: Planned['fault']): Promise<void> {
    const command = this.last.get(lane);
    if (!command) return await this.write(rng, lane, wanted);
    if (rng.chance(0.4)) command.machine.source.mutate(rng.fork('source'));
    // A manifest that was given may be one of a version that is gone by now.
    const allowed = command.args.includes('--prev-manifest') ? MAY_FAIL : OK;
    return await this.context.write(command, this.context.drawFault(rng, wanted), allowed);
  }

  /** A writer dies near its end, something else happens, and the machine goes on. */
  async interrupt(rng: Rng, lane: Lane): Promise<void> {
    this.context.queue.push(...afterInterruption(rng, lane));
    await this.write(rng, lane, 'late');
  }

  /** The machine's own saved uploads. */
  async resume(rng: Rng, machine: Machine, wanted?: Planned['fault']): Promise<void> {
    const fault = this.context.drawFault(rng, wanted);
    const saved = await this.savedUploads(machine);
    if (rng.chance(0.3)) machine.source.mutate(rng.fork('source'));
    const args = ['resume', ...(saved.length > 0 ? [rng.pick(saved)] : []), '--json', '--quiet'];
    await this.context.write({ ...this.resuming(machine), args }, fault, saved.length > 0 ? OK : [1, 0]);
  }

  /** What is known of a run that takes up something. */
  resuming(machine: Machine): Omit<WriteCommand, 'args'> {
    const { world } = this.context;
    const modes = world.expectations.modesToResume(machine.name);
    // It may be an upload of another's folder (resumeElsewhere).
    for (const name of this.wentElsewhere ? (['alpha', 'beta'] as const) : []) {
      const { source } = world.machine(name);
      world.expectations.begins(name, source.generation, source.now, [{ kind: 'exact' }]);
    }
    return {
      machine,
      base: machine.name === 'gamma' ? '/writers/fleet' : '',
      modes,
      isFresh: false,
      isAboutHead: false,
      mayFail: modes.some(({ kind }) => kind === 'overlay-of'),
    };
  }

  private async savedUploads(machine: Machine): Promise<string[]> {
    const run = await this.context.world.run(machine, ['resume', 'list', '--json']);
    const uploads = (run.document['uploads'] ?? []) as readonly Record<string, unknown>[];
    return uploads.map(({ uploadId }) => String(uploadId)).sort();
  }

  /** Another computer takes up what one has begun, or anything else that lies in the store. */
  async resumeElsewhere(rng: Rng): Promise<void> {
    this.wentElsewhere = true;
    const { world, writers } = this.context;
    const [owner, other] = rng.chance(0.5) ? (['alpha', 'beta'] as const) : (['beta', 'alpha'] as const);
    const objects = await world.store.list();
    const inStore = [...new Set(objects.flatMap(({ key }) => /^uploads\/([^/]+)\//.exec(key)?.[1] ?? []))].sort();
    const saved = await this.savedUploads(world.machine(owner));
    const choices = saved.length > 0 && rng.chance(0.6) ? saved : inStore;
    if (choices.length === 0) return;
    const { source } = world.machine(owner);
    const which = ['--resume', '--upload-id', rng.pick(choices), '--skip-existing'];
    const where = ['create', 'upload', source.root, '-b', world.store.url];
    const args = [...where, ...which, ...chunkFlags(rng), MASS_DELETE, '--json', '--quiet'];
    const fault = this.context.drawFault(rng);
    world.say(world.describe({ machine: other, args, fault }));
    const modes = [{ kind: 'exact' }] as const;
    world.expectations.begins(owner, source.generation, source.now, modes);
    const run = await world.run(world.machine(other), args, { fault });
    const about = { machine: world.machine(owner), base: '', args, modes, isFresh: false, isAboutHead: true };
    const claim = writers.claim(about, run);
    if (claim) this.context.claims.push(claim);
    this.context.expectEnd(run, MAY_FAIL);
  }
}

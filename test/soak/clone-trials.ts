// One journal, two processes: a home that was copied in the middle of an upload, or that two containers share.
import { execFileSync, spawnSync } from 'node:child_process';
import type { WriteCommand } from './commands.js';
import { anyStop, lateKill, NO_FAULT, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { DONE, type Trial } from './trial.js';
import type { Machine, RunSettings } from './world.js';

/** Done, refused because the other one is at it, or with nothing left to resume. */
const BESIDE = [0, 1, 3];

interface Commands {
  /** That was killed. */
  readonly command: WriteCommand;
  readonly isContained: boolean;
}

/** Whether this computer lets a process have a pid namespace of its own. */
let canContain: boolean | undefined;

function hasNamespaces(): boolean {
  canContain ??= spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
  return canContain;
}

/** Two that have one journal take up what was killed: one of them while the other sleeps, or both at once. */
async function takeUp(trial: Trial, rng: Rng, copy: Machine, commands: Commands): Promise<void> {
  const { world, alpha } = trial;
  const { command, isContained } = commands;
  const hasRequests = world.store.upstream !== undefined;
  const again = rng.chance(0.8) ? { args: ['resume', '--json', '--quiet'], isFresh: false, isAboutHead: false } : {};
  const start = async (machine: Machine, fault: Fault, settings: RunSettings = {}): Promise<void> => {
    await trial.write({ ...command, ...again, machine }, BESIDE, { ...settings, fault, isContained });
  };
  if (rng.chance(0.6)) {
    // A container's first process cannot stop itself, but can be stopped from outside.
    const isOutside = isContained && !hasRequests;
    const stop: Fault = isOutside ? { kind: 'suspend', afterMs: rng.int(250, 900) } : anyStop(rng);
    if (rng.chance(0.3)) trial.change(rng.fork('later'));
    return await start(alpha, stop, { whileStopped: () => start(copy, NO_FAULT) });
  }
  const kill = !isContained && rng.chance(0.5) ? lateKill(rng.fork('second kill'), hasRequests) : NO_FAULT;
  await Promise.all([start(alpha, NO_FAULT), start(copy, kill)]);
}

/** An upload is killed, and two that have its journal take it up. */
export async function clones(trial: Trial, rng: Rng): Promise<void> {
  const { world, alpha } = trial;
  if (rng.chance(0.6)) await trial.sync();
  trial.change(rng.fork('source'));
  const command = trial.drawWriter(rng);
  await trial.write(command, BESIDE, { fault: lateKill(rng.fork('kill'), world.store.upstream !== undefined) });
  const isCopied = rng.chance(0.6);
  const isContained = hasNamespaces() && (!isCopied || rng.chance(0.4));
  const copy = { ...alpha, home: isCopied ? `${alpha.home}-copy` : alpha.home };
  if (isCopied) execFileSync('cp', ['-a', alpha.home, copy.home]);
  world.say(`${isCopied ? 'a copy of the home' : 'the same home'}${isContained ? ', each in a container' : ''}`);
  await takeUp(trial, rng, copy, { command, isContained });
  await world.release();
  await trial.check();
  await trial.settle();
  if (!isCopied) return;
  await trial.write({ ...trial.writers.plainSync(trial.lane()), machine: copy }, DONE);
  await trial.check();
}

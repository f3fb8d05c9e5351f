// Writers that sleep: stopped beside one of the objects that they put, for longer than any grace, while others prune or scuttle.
import { MASS_DELETE } from './commands.js';
import { anyStop, RECORD_KEY, type Fault } from './fault-plan.js';
import type { Rng } from './prng.js';
import { DATASET, DONE, GUARDED, MAY_REFUSE, type Trial } from './trial.js';

/** How a writer that slept may end: done, refused, or with files that changed. */
const SLEPT = [0, 1, 3];

/** Whoever falls asleep between its last look and its record can but say, when it wakes, that the version is not whole. */
const isPastLastLook = (fault: Fault): boolean =>
  fault.kind === 'suspend' || (fault.kind === 'stop-at' && fault.path === RECORD_KEY);

async function history(trial: Trial, rng: Rng): Promise<void> {
  for (let left = rng.int(0, 2); left > 0; left--) {
    await trial.sync();
    trial.change(rng.fork(`source ${left}`));
  }
}

/** A writer sleeps over the grace, and what it has sent is taken for abandoned. */
export async function sleeper(trial: Trial, rng: Rng): Promise<void> {
  await history(trial, rng.fork('history'));
  const fault = anyStop(rng);
  const isPast = rng.chance(0.3);
  const keep = rng.pick([1, 2, 99]);
  const hasRival = rng.chance(0.3);
  const hasHistory = (await trial.world.store.list()).length > 0;
  const pruneTwice = async (): Promise<void> => {
    if (hasRival) await trial.sync(DONE, 'beta');
    // A prune of a dataset that has no version says that there is none.
    const allowed = hasHistory || hasRival ? DONE : MAY_REFUSE;
    if (!isPast) return await trial.sweep(allowed, keep);
    await trial.age(2);
    const flags = ['--abandoned-after', '1h', '--instant', MASS_DELETE];
    for (let left = 2; left > 0; left--) await trial.prune(flags, allowed, keep);
  };
  const run = await trial.write(trial.drawWriter(rng), SLEPT, { fault, whileStopped: pruneTwice });
  if (isPastLastLook(fault)) trial.heed(run);
  await trial.check();
  await trial.settle();
}

/** Everything of the place is deleted while a writer sleeps. */
export async function scuttleBeside(trial: Trial, rng: Rng): Promise<void> {
  await history(trial, rng.fork('history'));
  await trial.check();
  const fault = anyStop(rng);
  const scuttle = async (): Promise<void> => {
    // A temp file of the one that sleeps may be of somebody who writes: it stays, and is named.
    await trial.command(['scuttle', trial.world.store.url, '--force'], [0, 3]);
    trial.forget();
  };
  // Where all was gone before it looked for versions, a home that knows some is asked whether that is meant.
  const run = await trial.write(trial.drawWriter(rng), [...SLEPT, ...GUARDED], { fault, whileStopped: scuttle });
  if (isPastLastLook(fault)) trial.heed(run);
  await trial.check();
  const { status } = await trial.sync([0, 1, 4]);
  if (status !== 0) await trial.sync(DONE, 'alpha', status === 4 ? ['--new-store'] : ['--force']);
  trial.world.say(`${DATASET} goes on`);
  await trial.check();
}

// Sources that are not what they seem: a folder whose disk is not mounted, and one in which everything only moved.
import { MASS_DELETE } from './commands.js';
import { CHUNK_KEY } from './fault-plan.js';
import type { Rng } from './prng.js';
import { DONE, GUARDED, type Trial } from './trial.js';
import { SoakFailure } from './world.js';

/** A chunk of what is new, the mark of the generation, and what surrounds it. */
const NOTHING_BYTES = 64 * 1024;

/** Nothing is recorded as gone before somebody has said that it is. */
export async function shrunk(trial: Trial, rng: Rng): Promise<void> {
  const { world, alpha } = trial;
  await trial.sync();
  await trial.check();
  const isEmpty = rng.chance(0.5);
  alpha.source.shrink(isEmpty);
  world.say(isEmpty ? 'the source is empty' : 'the source has lost nearly everything');
  const sync = trial.writers.plainSync(trial.lane());
  const upload = { ...sync, args: trial.uploadArgs() };
  const without = ({ args, ...command }: typeof sync): typeof sync => ({
    ...command,
    args: args.filter((flag) => flag !== MASS_DELETE),
  });
  const before = await trial.keys();
  for (const command of rng.pick([[sync], [upload], [upload, sync]])) {
    await trial.write(without(command), GUARDED);
    const [found] = (await trial.keys()).filter((key) => !before.includes(key));
    if (found !== undefined) throw new SoakFailure(`${found} was put by an upload that was refused`);
  }
  if (rng.chance(0.5)) {
    // What is empty has no mark of its generation.
    const overlaid = { ...without(sync), modes: [{ kind: 'overlay' }] as const, isFresh: !isEmpty };
    const args = overlaid.args.filter((flag) => flag !== '--track-deletes');
    await trial.write({ ...overlaid, args }, DONE);
    await trial.check();
  }
  await trial.write(rng.pick([sync, upload]), DONE);
  await trial.settle();
}

/** What only got another time or another name is not sent again, and seen all the same. */
export async function moved(trial: Trial, rng: Rng): Promise<void> {
  const { world, alpha } = trial;
  await trial.sync();
  const chunkBytes = async (): Promise<number> =>
    (await world.store.list()).reduce((sum, { key, size }) => sum + (CHUNK_KEY.test(key) ? size : 0), 0);
  for (let left = rng.int(1, 2); left > 0; left--) {
    const before = await chunkBytes();
    alpha.source.move(rng.fork(`move ${left}`));
    const run = await trial.sync();
    const sent = (await chunkBytes()) - before;
    if (sent > NOTHING_BYTES)
      throw new SoakFailure(`${world.describe(run)} sent ${sent} bytes of what was there already`);
    await trial.check();
  }
  await trial.settle();
}

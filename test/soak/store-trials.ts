// Stores that are not what they were: gone, emptied, brought back from an older copy, or rotten below a warm cache.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_KEY, lateKill, MANIFEST_KEY } from './fault-plan.js';
import { harmObject, type Harm } from './damage.js';
import { versionName } from './expectations.js';
import type { Rng } from './prng.js';
import { differences } from './snapshot.js';
import { HOUR_MS } from './step-plan.js';
import { restoreVersion } from './survey.js';
import { DATASET, DONE, GUARDED, type Statuses, type Trial } from './trial.js';
import { SoakFailure } from './world.js';

const hasRequests = ({ world }: Trial): boolean => world.store.upstream !== undefined;

/** Versions that both machines have made. */
async function history(trial: Trial, rng: Rng, versions: number): Promise<void> {
  for (let left = versions; left > 0; left--) {
    const machine = rng.pick(['alpha', 'alpha', 'beta']);
    trial.change(rng.fork(`source ${left}`), machine);
    await trial.sync(DONE, machine);
  }
}

/** A disk that is not mounted, or another bucket: nothing is put there, and when it is back all is well. */
export async function vanished(trial: Trial, rng: Rng): Promise<void> {
  const { world } = trial;
  await history(trial, rng.fork('history'), rng.int(0, 2));
  await trial.sync();
  await trial.check();
  const isStopped = rng.chance(0.3);
  if (isStopped) {
    trial.change(rng.fork('stopped'));
    const fault = lateKill(rng.fork('kill'), hasRequests(trial));
    await trial.write(trial.drawWriter(rng), [0, 1], { fault });
    await world.release();
    await trial.check();
  }
  const away = await world.store.moveAway('away');
  world.say('the store is gone');
  for (let left = rng.int(1, 2); left > 0; left--) {
    if (rng.chance(0.5)) trial.change(rng.fork(`source ${left}`));
    await trial.write(trial.drawWriter(rng), GUARDED);
    const [found] = await world.store.list();
    if (found) throw new SoakFailure(`${found.key} was put into a store that is gone`);
  }
  trial.forget();
  if (rng.chance(0.4)) {
    await trial.sync(DONE, 'alpha', ['--new-store']);
    await trial.check();
    trial.forget();
  }
  await world.store.putBack(away);
  world.say('the store is back');
  await trial.settle();
}

/** The store is brought back from a copy that is older than what the machines remember. */
export async function olderStore(trial: Trial, rng: Rng): Promise<void> {
  const { world } = trial;
  const before = rng.pick([0, 1, 2]);
  await history(trial, rng.fork('before'), before);
  const older = await world.store.copy('older');
  await history(trial, rng.fork('after'), rng.int(1, 3));
  await trial.sync();
  await trial.check();
  const isStopped = rng.chance(0.5);
  if (isStopped) {
    trial.change(rng.fork('stopped'));
    await trial.write(trial.drawWriter(rng), [0, 1], { fault: lateKill(rng.fork('kill'), hasRequests(trial)) });
    await world.release();
    await trial.check();
  }
  if (rng.chance(0.3)) await trial.sweep(DONE, 1);
  await world.store.putBack(older);
  trial.forget();
  world.say(`the store is as it was after ${before} versions`);
  // Only where there is no version at all may it be another place.
  const refused: Statuses = before === 0 ? GUARDED : DONE;
  if (rng.chance(0.5)) trial.change(rng.fork('source'));
  if (isStopped && before > 0 && rng.chance(0.5))
    await trial.write(
      { ...trial.writers.plainSync(trial.lane()), args: ['resume', '--json', '--quiet'], isFresh: false },
      [0, 1],
    );
  await trial.sync(refused);
  if (before === 0) await trial.sync(DONE, 'alpha', ['--new-store']);
  await trial.check();
  await trial.sync(DONE, 'beta');
  await trial.settle();
}

/** What was looked at within a day is not asked again: its clock is a day on, or, as servers refuse that, it forgets its looks. */
function aDayLater(trial: Trial): Trial['alpha'] {
  const { alpha } = trial;
  if (!hasRequests(trial)) return { ...alpha, skewMs: 26 * HOUR_MS };
  const folder = join(alpha.home, '.archiver', 'manifest-cache');
  for (const name of readdirSync(folder)) if (name.endsWith('.look.json')) rmSync(join(folder, name));
  return alpha;
}

/** What the newest version needs is damaged, and the machine that made it knows nothing of that. */
export async function rot(trial: Trial, rng: Rng): Promise<void> {
  const { world, checker } = trial;
  await history(trial, rng.fork('history'), rng.int(0, 3));
  await trial.sync();
  await trial.check();
  for (const listed of checker.listed) checker.excused.add(versionName(listed));
  const objects = await world.store.list();
  const isChunk = rng.chance(0.5);
  const { key } = rng.pick(
    objects.filter(({ key: one, size }) => size > 0 && (isChunk ? CHUNK_KEY : MANIFEST_KEY).test(one)),
  );
  // A chunk of equal size is believed until it is read.
  const harm = rng.pick<Harm>(isChunk ? ['delete', 'truncate'] : ['delete', 'truncate', 'flip']);
  await harmObject(rng, world.store, key, harm);
  world.say(`${harm} ${key}`);
  if (rng.chance(0.4)) trial.change(rng.fork('source'));
  const { source } = trial.alpha;
  const machine = aDayLater(trial);
  const command = { ...trial.writers.plainSync(trial.lane()), machine };
  const run = await trial.write(command, [0, 1]);
  if (run.document['noChanges'] === true) {
    const version = Number(run.document['version']);
    const { run: restore, tree } = await restoreVersion(world, world.store, { base: '', datasetId: DATASET, version });
    const found = restore.status === 0 ? differences(source.now, tree) : [restore.stdout.slice(0, 1000)];
    if (found.length > 0)
      throw new SoakFailure(
        `${world.describe(run)} found no changes to v${version}, which is not whole:\n  ${found.join('\n  ')}`,
      );
  }
  await trial.check();
  if (run.status !== 0) await trial.write({ ...command, args: [...command.args, '--force'] }, DONE);
  await trial.check();
}

// The kill loop: prepared once, put back before every kill.
import { isDeepStrictEqual } from 'node:util';
import { orphansOf, unnamedOrphans } from './orphans.js';
import { done, type Scenario } from './scenarios.js';
import { readStore } from './store-state.js';
import type { World } from './world.js';

/** The share of points that have to come again in the next run: some folders are made by whoever comes first. */
const SURE = 0.8;

export interface Kills {
  readonly kills: number;
  readonly problems: readonly string[];
}

type Choose = (points: readonly string[]) => readonly string[];

const unlessAll =
  (choose: Choose): Choose =>
  (points) =>
    process.env['ARCHIVER_TEST_KILLS'] === 'all' ? points : choose(points);

/** Every point with ARCHIVER_TEST_KILLS=all, else every `stride`-th, the first, and the last `lastOnes`. */
export const everyNth = (stride: number, lastOnes: number): Choose =>
  unlessAll((points) =>
    points.filter((_, index) => index === 0 || (index + 1) % stride === 0 || index >= points.length - lastOnes),
  );

/** At the point beside it the same lies there: nothing has changed yet, or nothing that a reader sees. */
const ALIKE = /^(?:open|sync|datasync|mkdir) |^\w+ \/home\/\.archiver\/.*\/\.[^/]*$/;

/** The scenario in which a kind of change outside the store is killed: the same lines make it for every command. */
const killedIn = new Map<string, string>();

/**
 * Every point with ARCHIVER_TEST_KILLS=all, else before the first and before the last change of each kind in the store,
 * and in the first scenario that has it before the last of each kind elsewhere. Temporary names of one kind are one,
 * whatever folder they are in.
 */
export const everyKind = ({ name }: Scenario): Choose =>
  unlessAll((points) => {
    const kinds = new Map<string, string[]>();
    for (const point of points) {
      if (ALIKE.test(point)) continue;
      const kind = point
        .replace(/ \d+$/, '')
        .replace(/ .*(?=\/\.archiver~)/, '')
        // The work is done by then: once is enough.
        .replace(/.* \/home\/\.archiver\/ledger\/.*/, 'ledger');
      kinds.set(kind, [...(kinds.get(kind) ?? []), point]);
    }
    const chosen = [...kinds].flatMap(([kind, all]) => {
      if (kind.includes(' /store/')) return [all[0], all.at(-1)];
      if (!killedIn.has(kind)) killedIn.set(kind, name);
      return killedIn.get(kind) === name ? [all.at(-1)] : [];
    });
    return points.filter((point) => chosen.includes(point));
  });

/** Kills the scenario's command at every point that is chosen; says what did not hold. */
export async function killEverywhere(world: World, scenario: Scenario, choose: Choose): Promise<Kills> {
  const command = await scenario.prepare(world);
  await world.save();
  const before = await readStore(world.store, scenario.damaged);
  const points = choose(await world.points(...command));
  const after = await readStore(world.store);
  const problems: string[] = [];
  let kills = 0;

  for (const point of points) {
    await world.reset();
    const where = `killed at ${point}`;
    if (await world.killAt(point, ...command)) kills++;
    const killed = await readStore(world.store, scenario.damaged);
    for (const [name, content] of killed) {
      if (!isDeepStrictEqual(content, before.get(name) ?? after.get(name))) problems.push(`${where}: ${name} differs`);
    }
    for (const name of before.keys())
      if (after.has(name) && !killed.has(name)) problems.push(`${where}: ${name} is gone`);

    if (scenario.isMending !== true) {
      const unnamed = await unnamedOrphans(world.store);
      problems.push(...unnamed.map((key) => `${where}: a prune would not name ${key}`));
    }

    await done(world, command);
    const final = await readStore(world.store);
    for (const [name, content] of after) {
      if (!isDeepStrictEqual(final.get(name), content)) problems.push(`${where}: ${name} differs after the rerun`);
    }
    if (scenario.isTidy === true)
      problems.push(...(await orphansOf(world.store)).map((key) => `${where}: ${key} is left over`));
  }
  if (kills < SURE * points.length) problems.push(`killed at only ${kills} of ${points.length} points`);
  return { kills, problems };
}

// The kill loop: prepared once, put back before every kill.
import { isDeepStrictEqual } from 'node:util';
import { orphansOf, unnamedOrphans } from './orphans.js';
import { done, type Scenario } from './scenarios.js';
import { readStore } from './store-state.js';
import type { World } from './world.js';

const LAST_ONES = 6;

export interface Kills {
  readonly kills: number;
  readonly problems: readonly string[];
}

/** Every point with ARCHIVER_TEST_KILLS=all, else every `stride`-th, the first, and the last `lastOnes`. */
export function pointsOf(stride: number, lastOnes: number): (points: number) => number[] {
  const isEvery = process.env['ARCHIVER_TEST_KILLS'] === 'all';
  return (points) =>
    Array.from({ length: points }, (_, index) => index + 1).filter(
      (point) => isEvery || point === 1 || point % stride === 0 || point > points - lastOnes,
    );
}

/** Kills the scenario's command at every point that is chosen; says what did not hold. */
export async function killEverywhere(
  world: World,
  scenario: Scenario,
  choose: (points: number) => readonly number[],
): Promise<Kills> {
  const command = await scenario.prepare(world);
  await world.save();
  const before = await readStore(world.store, scenario.damaged);
  const points = await world.count(...command);
  const after = await readStore(world.store);
  const problems: string[] = [];
  let kills = 0;

  for (const point of choose(points)) {
    await world.reset();
    const where = `killed at point ${point} of ${points}`;
    const isKilled = await world.killAt(point, ...command);
    if (isKilled) kills++;
    // The count differs a little from run to run: some folders are made by whoever comes first.
    else if (point < points - LAST_ONES) problems.push(`${where}: it was not killed`);
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
  return { kills, problems };
}

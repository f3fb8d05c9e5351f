// The process is killed before every single change that it makes to a file system. ARCHIVER_TEST_KILLS=all kills at every
// one; by default at every seventh, at the first and at the last ones.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fileStore } from '../../src/core/object-store/file-store.js';
import { ADDING, done, REWRITING, type Scenario } from './scenarios.js';
import { readStore } from './store-state.js';
import { makeWorld, type World } from './world.js';

const isEvery = process.env['ARCHIVER_TEST_KILLS'] === 'all';
const STRIDE = 7;
const LAST_ONES = 6;

function points(changes: number): number[] {
  const all = Array.from({ length: changes }, (_, index) => index + 1);
  return isEvery ? all : all.filter((n) => n === 1 || n % STRIDE === 0 || n > changes - LAST_ONES);
}

/** Kills the scenario's command at every point; says what did not hold. */
async function killEverywhere(world: World, scenario: Scenario): Promise<string[]> {
  const store = fileStore(world.base);
  await scenario.prepare(world);
  world.save();
  const before = await readStore(store, scenario.damaged);
  const changes = await world.count(...scenario.command(world));
  const after = await readStore(store);
  const problems = changes > 10 ? [] : [`only ${changes} changes were seen`];

  for (const change of points(changes)) {
    world.reset();
    const where = `killed before change ${change} of ${changes}`;
    const isKilled = await world.killAt(change, ...scenario.command(world));
    // The count differs a little from run to run: some folders are made by whoever comes first.
    if (!isKilled && change < changes - LAST_ONES) problems.push(`${where}: it was not killed`);
    const killed = await readStore(store, scenario.damaged);
    for (const [name, content] of killed) {
      if (!isDeepStrictEqual(content, before.get(name) ?? after.get(name))) problems.push(`${where}: ${name} differs`);
    }
    for (const name of before.keys())
      if (after.has(name) && !killed.has(name)) problems.push(`${where}: ${name} is gone`);

    await done(world, scenario.command(world));
    const final = await readStore(store);
    for (const [name, content] of after) {
      if (!isDeepStrictEqual(final.get(name), content)) problems.push(`${where}: ${name} differs after the rerun`);
    }
  }
  return problems;
}

describe.each([...ADDING, ...REWRITING])('killed in $name', (scenario) => {
  test('every version that is to stay is whole, and the rerun finishes', { timeout: 1_800_000 }, async () => {
    expect(await killEverywhere(await makeWorld(), scenario)).toEqual([]);
  });
});

// A cycle outside the schedule, as a signed config asks for it with run_now.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { EndedAgentCycle } from '../../../../src/core/fleet/agent/agent.js';
import { planOf } from '../../../../src/core/fleet/agent/agent-plan.js';
import { FileConfig, readConfigFile } from '../../../../src/core/fleet/agent/file-config.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { type AgentWorld, agentWorld, FOREIGN_KEY, yamlOf } from './agent-world.js';

const [MINUTE, BEGUN] = [60_000, Date.parse('2026-05-01T00:00:00Z')];
const runNow = (minute: number): string => `run_now: ${new Date(BEGUN + minute * MINUTE).toISOString()}`;
const minutesOf = (cycles: readonly EndedAgentCycle[]): number[] =>
  cycles.map(({ heartbeat }) => (Date.parse(heartbeat.cycle.startedAt) - BEGUN) / MINUTE);

/** A clock that does things while the agent waits, each at its minute. */
const clockWith = (world: AgentWorld, events: Readonly<Record<number, () => unknown>>) => ({
  now: () => new Date(world.clock.nowMs),
  random: () => 0.5,
  async sleep(ms: number) {
    world.clock.nowMs += ms;
    await events[(world.clock.nowMs - BEGUN) / MINUTE]?.();
  },
});

test('a newer config that asks for a cycle gets one within five minutes, and the next an interval after it', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  const clock = clockWith(world, { 7: () => world.publish(yamlOf(2, ['/data'], runNow(6))) });

  const cycles = await world.run(3, { clock });

  expect(minutesOf(cycles)).toEqual([0, 10, 70]);
  expect(cycles.map(({ heartbeat }) => heartbeat.configVersion)).toEqual([1, 2, 2]);
});

test('the same request starts no second cycle, however often it is put, also after a restart', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  const asking = (): void => world.publish(yamlOf(2, ['/data'], runNow(600)));
  const older = (): void => world.publish(yamlOf(1, ['/data']));
  await world.run(2, { clock: clockWith(world, { 2: asking, 12: older, 17: asking }) });

  const again = await world.run(2, { clock: clockWith(world, { 12: older, 17: asking }) });

  expect(minutesOf(again)).toEqual([5, 65]);
  expect(again[1]?.heartbeat.configError).toBeNull();
});

test.each([
  ['asks for nothing', ''],
  ['asks for what the last cycle did already', runNow(-1)],
  ['was signed for more than a day ago', runNow(-24 * 60 - 1)],
])('a newer config that %s waits for the next cycle', async (_, more) => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  const clock = clockWith(world, { 7: () => world.publish(yamlOf(2, ['/data'], more)) });

  const cycles = await world.run(2, { clock });

  expect(minutesOf(cycles)).toEqual([0, 60]);
});

test('a request that is refused starts nothing and is told at once; one that is signed well ends that', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  const tells = async (error: unknown): Promise<void> =>
    await vi.waitFor(() => expect(world.status().configError).toEqual(error), 5000);
  const clock = clockWith(world, {
    7: () => world.publish(yamlOf(2, ['/data'], runNow(7)), { key: FOREIGN_KEY }),
    14: async () => await tells(expect.stringContaining('signed with the key')),
    16: () => world.publish(yamlOf(1, ['/data'])),
    24: async () => await tells(null),
  });

  const cycles = await world.run(2, { clock });

  expect(minutesOf(cycles)).toEqual([0, 60]);
});

test('a look at a config that is as before is one HEAD, and a store that is down then is no trouble', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  let [heads, gets, isDown] = [0, 0, false];
  const down = (): Promise<never> => Promise.reject(new StoreError('store', 'it is down', { retriable: true }));
  world.wrap = (store) => ({
    ...store,
    head(...args) {
      heads++;
      return isDown ? down() : store.head(...args);
    },
    get(...args) {
      gets++;
      return store.get(...args);
    },
  });
  const clock = clockWith(world, { 31: () => (isDown = true), 59: () => (isDown = false) });
  const asked: number[][] = [];

  const cycles = await world.run(2, { clock, onCycle: () => void asked.push([heads, gets]) });

  const [[headsBefore = 0, getsBefore = 0] = [], [headsAfter = 0, getsAfter = 0] = []] = asked;
  expect(headsAfter - headsBefore).toBe(11);
  expect(getsAfter - getsBefore).toBe(getsBefore);
  expect(minutesOf(cycles)).toEqual([0, 60]);
  expect(world.troubles).toEqual([]);
  expect(world.status().configError).toBeNull();
});

test('a config in a file asks in the same way', async () => {
  const world = await agentWorld();
  const file = join(world.home, '..', 'config.yaml');
  writeFileSync(file, yamlOf(1, ['/data']));
  const [defaultIntervalMs, storageClass] = [1000, 'STANDARD'];
  const defaults = { intervalMs: undefined, defaultIntervalMs, storageClass, trackDeletes: false, ignoreCtime: false };
  const plans = new FileConfig(
    file,
    await readConfigFile(file),
    (config) => planOf(config, defaults),
    () => undefined,
  );
  const clock = clockWith(world, { 7: () => writeFileSync(file, yamlOf(2, ['/data'], runNow(6))) });

  expect(minutesOf(await world.run(3, { clock, plans }))).toEqual([0, 10, 70]);
});

// The loop of an agent, and signed configs as it meets them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentPath } from '../../../../src/core/fleet/agent/agent-memory.js';
import type { EndedAgentCycle } from '../../../../src/core/fleet/agent/agent.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { writeOnlyStore } from '../../../support/write-only-store.js';
import { agentWorld, archived, FOREIGN_KEY, WRITER, yamlOf } from './agent-world.js';

const HOUR = 3_600_000;
const down = (): Promise<never> =>
  Promise.reject(new StoreError('store', 'the store does not answer', { retriable: true }));
const startsOf = (cycles: readonly EndedAgentCycle[]): number[] =>
  cycles.map(({ heartbeat }) => Date.parse(heartbeat.cycle.startedAt));

describe('the schedule of an agent', () => {
  test('one cycle at a time, each an interval after the one before, however long one takes', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data', '/home']));
    let [underWay, most, at] = [0, 0, 0];
    const archive = async () => {
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      if (++at === 3) world.clock.nowMs += 5 * HOUR; // longer than the interval
      underWay--;
      return archived();
    };
    const begun = world.clock.nowMs;

    const cycles = await world.run(4, { archive });

    expect(most).toBe(1);
    expect(startsOf(cycles).map((ms) => (ms - begun) / HOUR)).toEqual([0, 1, 6, 7]);
    expect(at).toBe(8);
  });

  test('after a computer slept through five of them there is one, not five', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']));
    let hasSlept = false;
    const clock = {
      now: () => new Date(world.clock.nowMs),
      random: () => 0.5,
      sleep: (ms: number) => {
        world.clock.nowMs += hasSlept ? ms : 5.5 * HOUR;
        hasSlept = true;
        return Promise.resolve();
      },
    };
    const begun = world.clock.nowMs;

    const cycles = await world.run(3, { clock });

    const hours = startsOf(cycles).map((ms) => (ms - begun) / HOUR);
    expect(hours[1]).toBeCloseTo(5.5, 1);
    expect(hours[2]).toBeCloseTo(6.5, 1);
  });

  test('a store that is down for a day gets few requests, and the agent catches up when it is back', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data', '/home']));
    const begun = world.clock.nowMs;
    const isDown = (): boolean => world.clock.nowMs > begun && world.clock.nowMs < begun + 24 * HOUR;
    world.wrap = (store) => ({
      ...store,
      get: (...args) => (isDown() ? down() : store.get(...args)),
      put: (...args) => (isDown() ? down() : store.put(...args)),
    });
    let asked = 0;
    const archive = async () => {
      if (!isDown()) return archived();
      asked++;
      return await down();
    };
    const cycles: EndedAgentCycle[] = [];
    const end = new AbortController();
    const onCycle = (cycle: EndedAgentCycle): void => {
      cycles.push(cycle);
      if (cycles.length > 1 && cycle.heartbeat.cycle.isHealthy === true) end.abort();
    };

    await world.run(1000, { archive, onCycle, signal: end.signal });

    expect(cycles.length).toBeLessThan(50);
    expect(asked).toBeLessThan(100);
    const last = cycles.at(-1)?.heartbeat;
    expect(Date.parse(last?.cycle.startedAt ?? '') - begun).toBeLessThan(25 * HOUR);
    const before = cycles.at(-2)?.heartbeat;
    expect(before).toMatchObject({
      configVersion: 1,
      configError: expect.stringContaining('could not be fetched') as string,
      problem: expect.stringContaining('/data: the store does not answer (and 1 more of 2 sources)') as string,
      cycle: { isHealthy: false },
      lastSuccessAt: new Date(begun).toISOString(),
    });
    expect(last).toMatchObject({ configError: null, problem: null, cycle: { isHealthy: true } });
    expect(world.status()).toMatchObject({ phase: 'stopped', lastSuccessAt: last?.lastSuccessAt });
  });

  test('a source that fails does not stop the others, and is not tried again before its time', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/gone', '/data']));
    const begun = world.clock.nowMs;

    const cycles = await world.run(2, {
      archive: ({ path }) =>
        path === '/gone' ? Promise.reject(new Error('does not exist')) : Promise.resolve(archived()),
    });

    expect((startsOf(cycles)[1] ?? 0) - begun).toBe(HOUR);
    expect(world.status()).toMatchObject({
      lastSuccessAt: null,
      problem: '/gone: does not exist',
      sources: [
        { path: '/gone', isHealthy: false, error: 'does not exist', lastSuccessAt: null },
        { path: '/data', isHealthy: true, error: null, version: 3, files: 7 },
      ],
    });
  });
});

describe('a signed config', () => {
  const refusals: readonly (readonly [string, string, (world: Awaited<ReturnType<typeof agentWorld>>) => void])[] = [
    ['is not signed', 'the config is not signed', (world) => world.publish(yamlOf(3, ['/data']), { unsigned: true })],
    [
      'is signed by somebody else',
      'signed with the key',
      (world) => world.publish(yamlOf(3, ['/data']), { key: FOREIGN_KEY }),
    ],
    ['is replayed', 'version 1, and 2 was in use', (world) => world.publish(yamlOf(1, ['/data']))],
    [
      'has the same version and says something else',
      'both have version 2',
      (world) => world.publish(yamlOf(2, ['/data'], 'track_deletes: true')),
    ],
    [
      'is for another writer',
      'is for writer other',
      (world) => world.publish(yamlOf(3, ['/data']).replace(WRITER, 'other')),
    ],
    ['reads more', 'without allow_scope_expansion', (world) => world.publish(yamlOf(3, ['/data', '/etc']))],
    ['has errors', 'has errors', (world) => world.publish('version: 3\nwriter_id: nas-1\nwatch_paths: 7')],
    [
      'was changed by one byte',
      'not what was signed',
      ({ base }) => {
        const file = join(base, 'fleet', WRITER, 'config.yaml');
        writeFileSync(file, readFileSync(file, 'utf8').replace('1h', '2h'));
      },
    ],
  ];

  test.each(refusals)(
    'that %s is refused: the last good one stays in use, also after a restart',
    async (_, why, change) => {
      const world = await agentWorld();
      world.publish(yamlOf(2, ['/data']));
      await world.run(1);
      change(world);

      const [refused] = await world.run(1); // another process
      const [again] = await world.run(1);

      for (const cycle of [refused, again])
        expect(cycle?.heartbeat).toMatchObject({
          configVersion: 2,
          configError: expect.stringContaining(why) as string,
          problem: null,
          cycle: { isHealthy: true },
          sources: [{ path: '/data' }],
        });
    },
  );

  test('that is newer is used from the next cycle on; a wider one where it says so', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']));
    const seen: string[] = [];

    await world.run(3, {
      archive: ({ path }, { version }) => {
        seen.push(`${version} ${path}`);
        return Promise.resolve(archived());
      },
      onCycle: ({ heartbeat }) => {
        const next = (heartbeat.configVersion ?? 0) + 1;
        world.publish(
          yamlOf(next, next === 2 ? ['/data'] : ['/data', '/etc'], next === 3 ? 'allow_scope_expansion: true' : ''),
        );
      },
    });

    expect(seen).toEqual(['1 /data', '2 /data', '3 /data', '3 /etc']);
  });

  test('is missing from the beginning: nothing is archived, and that is said', async () => {
    const world = await agentWorld();

    const [cycle] = await world.run(1);

    expect(cycle?.heartbeat).toMatchObject({
      configVersion: null,
      problem: expect.stringContaining('could not be fetched') as string,
      cycle: { isHealthy: false },
      lastSuccessAt: null,
      sources: [],
    });
  });

  test('that was kept and is damaged or gone lets no older one in', async () => {
    const world = await agentWorld();
    const path = agentPath(world.home, { baseUrl: `file://${world.base}`, writerId: WRITER });
    world.publish(yamlOf(4, ['/srv']));
    await world.run(1);
    rmSync(`${path}.config.json`);
    world.publish(yamlOf(3, ['/srv']));

    await world.run(1);
    const [cycle] = await world.run(1);

    expect(cycle?.heartbeat).toMatchObject({
      configVersion: null,
      configError: 'the config has version 3, and 4 was in use already',
    });
  });

  test('that was kept is not believed when it was changed on this computer', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(2, ['/data']));
    await world.run(1);
    const { keptConfig } = await import('../../../../src/core/fleet/agent/kept-config.js');
    const kept = keptConfig(agentPath(world.home, { baseUrl: `file://${world.base}`, writerId: WRITER }));
    const { signature } = (await kept.read()) ?? { signature: Buffer.alloc(0) };
    await kept.write({ bytes: Buffer.from(yamlOf(2, ['/etc'])), signature });

    const [cycle] = await world.run(1);

    expect(world.troubles).toEqual([expect.stringContaining('not what was signed')]);
    expect(cycle?.heartbeat.sources).toMatchObject([{ path: '/data' }]);
  });

  test('that asks for the deletion of what was archived is obeyed without that, which is said once', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']).replace('path: /data', 'path: /data\n    delete_after_archive: true'));

    const cycles = [...(await world.run(2)), ...(await world.run(1))];

    for (const { heartbeat } of cycles) expect(heartbeat).toMatchObject({ problem: null, cycle: { isHealthy: true } });
    expect(world.troubles).toEqual([
      'delete_after_archive of /data is refused: an agent deletes nothing, and the files stay',
    ]);
  });
});

describe('heartbeats', () => {
  test('never fail a backup, and tell the truth again once they can be put', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']));
    let isRefused = true;
    world.wrap = (store) => ({ ...store, put: (...args) => (isRefused ? down() : store.put(...args)) });

    const cycles = await world.run(2, { onCycle: () => void (isRefused = false) });

    expect(cycles.map(({ heartbeat }) => heartbeat.cycle.isHealthy)).toEqual([true, true]);
    expect(world.troubles.filter((text) => !text.includes('heartbeat could not be put'))).toEqual([
      expect.stringContaining('an agent that remembers nothing could take an older config than version 1'),
    ]);
    expect(readdirSync(join(world.base, 'writers', WRITER))).toContainEqual(
      expect.stringMatching(/^config-v00000001\.[0-9a-f]{16}\.[\w-]{86}$/),
    );
    expect(world.status()).toMatchObject({ lastSuccessAt: cycles[1]?.heartbeat.lastSuccessAt });
  });

  test('go on from those of the process before', async () => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']));
    const [before] = await world.run(1);
    world.clock.nowMs += HOUR;

    const [failed] = await world.run(1, { archive: () => Promise.reject(new Error('unreadable')) });

    const { lastSuccessAt } = before?.heartbeat ?? {};
    expect(failed?.heartbeat).toMatchObject({
      lastSuccessAt,
      sources: [{ isHealthy: false, lastSuccessAt, version: 3 }],
    });
    expect(failed?.heartbeat.instanceId).not.toBe(before?.heartbeat.instanceId);
    expect(failed?.heartbeat.problem).toBe('/data: unreadable'); // and no clone: the one before has ended
  });

  const clone = { instanceId: 'instance-of-the-clone', host: 'copy' };
  test.each([
    ['may read', JSON.stringify, "process 'instance-of-the-clone' on 'copy'"],
    ['may only list', JSON.stringify, 'another process'],
    ['may read what is none', () => 'x', 'another process'],
    [
      'may read what was made to look like its own',
      (beat: object) => JSON.stringify({ ...beat, instanceId: 'instance-1', host: 'host' }),
      "process 'instance-1' on 'host'",
    ],
    [
      'may read a megabyte of it',
      (beat: object) => JSON.stringify({ ...beat, host: 'x'.repeat(1_000_000) }),
      `process 'instance-of-the-clone' on '${'x'.repeat(200)}…'`,
    ],
  ])('of another process under this name are noticed by a writer that %s', async (access, text, who) => {
    const world = await agentWorld();
    world.publish(yamlOf(1, ['/data']));
    const denied: string[] = [];
    const plans = world.pulled();
    await plans.next(new AbortController().signal);
    if (access === 'may only list') world.wrap = (store) => writeOnlyStore(store, denied);
    const status = join(world.base, 'writers', WRITER, 'status.json');
    const problems: (string | null)[] = [];

    await world.run(4, {
      onCycle({ heartbeat }) {
        problems.push(heartbeat.findings?.find(({ kind }) => kind === 'cloned')?.detail ?? null);
        if (problems.length !== 2) return;
        mkdirSync(dirname(status), { recursive: true });
        writeFileSync(status, text({ ...heartbeat, ...clone }));
      },
    });

    expect(problems).toEqual([null, null, expect.stringContaining(`${who} writes as nas-1, too`), null]);
    expect(world.status().instanceId).toBe('instance-1');
  });
});

test('an agent that is stopped in the middle of a cycle says so, and the cycle does not count', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data', '/home']));
  const end = new AbortController();

  const cycles = await world.run(1, {
    signal: end.signal,
    archive: ({ path }) => {
      if (path === '/home') end.abort();
      return Promise.resolve(archived());
    },
  });

  expect(cycles).toEqual([]);
  expect(world.status()).toMatchObject({
    phase: 'stopped',
    lastSuccessAt: null,
    cycle: { endedAt: null, isHealthy: null },
    sources: [
      { path: '/data', isHealthy: true },
      { path: '/home', isHealthy: null },
    ],
  });
});

test('nothing grows from cycle to cycle', async () => {
  const world = await agentWorld();
  world.publish(yamlOf(1, ['/data']));
  const sizes = new Set<number>();

  await world.run(100, { onCycle: ({ heartbeat }) => void sizes.add(JSON.stringify(heartbeat).length) });

  expect(sizes.size).toBe(1);
});

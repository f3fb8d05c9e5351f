import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { configFactsOf } from '../../../src/core/fleet/watch/config-facts.js';
import { readFleet } from '../../../src/core/fleet/watch/read-fleet.js';
import type { FleetObservation } from '../../../src/core/fleet/watch/observation.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { ignoreEvents } from '../../../src/core/events/progress-meter.js';
import { checkIn, putAt, putConfig } from '../../support/fleet.js';
import { tempFolder } from '../../support/temp-folder.js';

let base = '';
let store: ObjectStore;

beforeEach(async () => {
  base = join(await tempFolder(), 'store');
  store = fileStore(base, {});
});

const look = (on: ObjectStore): Promise<FleetObservation> =>
  readFleet(on, {
    knownFacts: () => undefined,
    now: () => new Date('2026-03-04T06:00:00Z'),
    emit: ignoreEvents,
    signal: new AbortController().signal,
  });

const away = (): StoreError => new StoreError('store', 'the store answered 503', { retriable: true });

/** The store, of which these keys are not given; `asked` grows with each request for one. */
const without = (isLost: (key: string) => boolean, asked: string[] = []): ObjectStore => ({
  ...store,
  get: (key, options) => {
    asked.push(key);
    return isLost(key) ? Promise.reject(away()) : store.get(key, options);
  },
});

test('one heartbeat that the store does not give is unknown, and the others are seen', async () => {
  for (const writer of ['a', 'b', 'c']) await checkIn(base, writer);

  const { writers } = await look(without((key) => key.includes('/b/')));

  expect(writers.map(({ writerId, seen }) => [writerId, seen.kind])).toEqual([
    ['a', 'read'],
    ['b', 'unreadable'],
    ['c', 'read'],
  ]);
});

test('a store that gives none is away, and is not asked for all of them', async () => {
  await Promise.all(Array.from({ length: 300 }, (_, at) => checkIn(base, `w${at}`)));
  const asked: string[] = [];

  await expect(look(without(() => true, asked))).rejects.toThrow('the store answered 503');

  expect(asked.length).toBeLessThan(150);
});

test('a few writers, of which none can be read, are a store that is away as well', async () => {
  await checkIn(base, 'a');
  await expect(look(without(() => true))).rejects.toThrow('the store answered 503');
});

test('where fleet/ may not be listed, heartbeats are seen all the same', async () => {
  await checkIn(base, 'a');
  await putConfig(base, 'b', 1, '2026-03-04T05:00:00Z');
  const denied: ObjectStore = {
    ...store,
    async *list(options) {
      if (options?.prefix === 'fleet/') throw new StoreError('access-denied', 'listing is denied');
      yield* store.list(options);
    },
  };

  const { writers, configsUnknown } = await look(denied);

  expect([writers.map(({ writerId }) => writerId), configsUnknown]).toEqual([['a'], 'listing is denied']);
});

test('folders that cannot be writers are none, and configs are only those of writers', async () => {
  await checkIn(base, 'a');
  await putAt(base, 'writers/two words/status.json', '{}', '2026-03-04T05:00:00Z');
  await putAt(base, 'fleet/b/old/config.yaml', 'version: 1\n', '2026-03-04T05:00:00Z');
  await putAt(base, 'fleet/c/config.yaml.sig', '{}', '2026-03-04T05:00:00Z');

  expect((await look(store)).writers.map(({ writerId }) => writerId)).toEqual(['a']);
});

test.each([
  ['version: 7\nname: x\n', 7],
  ['{version: 7}', 7],
  ['version: 0\n', undefined],
  ['version: 1e300\n', undefined],
  ['version: "7"\n', undefined],
  ['{"version":7,"writer_id":"a"}', 7],
  ['writer_id: a\r\n"version" : 7 # raised\r\n', 7],
  ['a:\n  version: 7\n# version: 7\n', undefined],
  ['version: 7.5\n', undefined],
  ['- version', undefined],
  ['\u0000', undefined],
])('the version of the config %j', (text, version) => {
  expect(configFactsOf(Buffer.from(text)).version).toBe(version);
});

// A YAML parser never comes back from these, or takes the process with it.
test.each([
  ['? ', 1000],
  ['[', 1_000_000],
  ['k: 1\n', 200_000],
])('a config that begins with %j many times is read', (part, times) => {
  expect(configFactsOf(Buffer.from(`${part.repeat(times)}\nversion: 7`)).version).toBe(7);
});

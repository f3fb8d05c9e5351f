// Several at once on one dataset: whoever ends with 0 has a version, and it is whole.
import type { Ran } from '../../soak/machine.js';
import type { Tree } from '../../soak/snapshot.js';
import { documentOf, selectorOf, type Place } from '../place.js';
import { expect, expectSame, type Scenario } from '../scenario.js';

const WRITERS = ['alpha', 'beta', 'gamma', 'delta'] as const;

interface Written {
  readonly name: string;
  readonly tree: Tree;
  readonly ran: Ran;
}

/** Each machine writes its source as it is, all at once, and beside them whatever else. */
async function race(
  place: Place,
  names: readonly string[],
  beside: readonly (() => Promise<unknown>)[] = [],
): Promise<readonly Written[]> {
  const [written] = await Promise.all([
    Promise.all(
      names.map(async (name): Promise<Written> => {
        const tree = place.machine(name).source.now;
        const ran = await place.ends([...place.syncArgs(name), '--json'], [0], { on: place.machine(name) });
        return { name, tree, ran };
      }),
    ),
    ...beside.map((work) => work()),
  ]);
  return written;
}

/** Every version that was reported is listed and restores to what its writer had. */
async function expectAll(place: Place, written: readonly Written[]): Promise<void> {
  const listed = await place.versions();
  const names = new Set(listed.map((one) => selectorOf(one, listed)));
  expectSame(names.size, listed.length, 'names of versions');
  for (const { name, tree, ran } of written) {
    const { uploadId } = documentOf(ran);
    const own = listed.find((one) => one.uploadId === uploadId);
    expect(own !== undefined, `${name} ended with 0, and its upload ${String(uploadId)} is no version`);
    await place.expectVersion(selectorOf(own, listed), tree);
  }
}

const expectNumbers = async (place: Place, createsOnce: boolean, count: number): Promise<void> => {
  const numbers = new Set((await place.versions()).map(({ version }) => version));
  // Where no key is created only once, some of them may share a number.
  expect(createsOnce ? numbers.size === count : numbers.size > 0, `${numbers.size} numbers for ${count} versions`);
};

const first: Scenario = {
  name: 'race of four first writers',
  run: async (world) => {
    const place = await world.place();
    await expectAll(place, await race(place, WRITERS));
    await expectNumbers(place, world.can('createOnce'), WRITERS.length);
  },
};

const later: Scenario = {
  name: 'race of four writers',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    for (const name of WRITERS) place.change(name);
    const written = await race(place, WRITERS);
    await expectAll(place, written);
    await expectNumbers(place, world.can('createOnce'), WRITERS.length + 1);
    // Whoever comes next builds on what is there.
    place.change();
    const { version } = await place.sync();
    const others = (await place.versions()).filter((one) => one.version !== version);
    expect(
      others.every((one) => one.version < Number(version)),
      `v${String(version)} is not the newest`,
    );
    await place.expectVersion('latest', place.machine().source.now);
  },
};

const prune = (place: Place, keep: string): readonly string[] => {
  const which = ['--dataset-id', 'lab', '--keep-last', keep, '--allow-mass-delete', '--yes'];
  return ['dataset', 'prune', place.url, ...which];
};

const beside: Scenario = {
  name: 'race of prune, sweep, restore and writers',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    const upload = ['upload', source.root, place.url, '--dataset-id', 'lab', '--quiet', '--allow-mass-delete'];
    for (let round = 0; round < 3; round++) {
      place.change();
      await place.ok(upload);
    }
    const { now } = source;
    // What is marked now is swept beside the writers.
    await place.ok(prune(place, '2'));
    await place.age(26);
    for (const name of ['alpha', 'beta']) place.change(name);
    const pruned = async (): Promise<void> => {
      // It stops where something changes that it goes by.
      await place.ends(prune(place, '4'), [0, 1]);
      await place.ends(prune(place, '4'), [0, 1]);
    };
    const restored = (): Promise<void> => place.expectVersion('v3', now);
    await expectAll(place, await race(place, ['alpha', 'beta'], [pruned, restored]));
    const verified = await place.json(['verify', place.url]);
    expectSame(verified['damagedVersionCount'], 0, 'damaged versions');
  },
};

export const RACES: readonly Scenario[] = [first, later, beside];

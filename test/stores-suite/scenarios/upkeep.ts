// What is deleted, and what never is: prune, sweep, tags, abandoned uploads, scuttle.
import { expectSame, type Scenario } from '../scenario.js';
import type { StoredObject } from '../../soak/soak-store.js';
import type { Place } from '../place.js';
import { chunkedUpload, killedUpload } from './interrupted.js';

const AGES = { grace: 26, abandoned: 8 * 24 } as const;

const prune = (place: Place, flags: readonly string[]): readonly string[] => [
  'dataset',
  'prune',
  place.url,
  '--dataset-id',
  'lab',
  '--allow-mass-delete',
  ...flags,
];

/** Versions that need nothing of each other. */
async function uploads(place: Place, count: number): Promise<void> {
  const { source } = place.machine();
  for (let made = 0; made < count; made++) {
    place.change();
    await place.ok(['upload', source.root, place.url, '--dataset-id', 'lab', '--quiet', '--allow-mass-delete']);
  }
}

const folderOf = ({ key }: StoredObject): string => /^uploads\/([^/]+)\//.exec(key)?.[1] ?? '';

const foldersOf = async (place: Place): Promise<readonly string[]> => [
  ...new Set((await place.store.list()).map(folderOf).filter((folder) => folder !== '')),
];

const dryRun: Scenario = {
  name: 'prune --dry-run',
  run: async ({ day }) => {
    const { place } = await day.removedOne();
    const before = await place.store.list();
    const document = await place.json(prune(place, ['--keep-last', '1', '--dry-run']));
    expectSame((document['retired'] as readonly unknown[]).length, 2, 'versions to be retired');
    expectSame(await place.store.list(), before, 'what lies in the store');
  },
};

const retire: Scenario = {
  name: 'prune',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    place.change();
    await place.sync();
    await place.ok(prune(place, ['--keep-last', '1', '--yes', ...place.exclusive]));
    const listed = await place.versions();
    expectSame(
      listed.map(({ version }) => version),
      [2],
      'versions',
    );
    await place.expectVersion('v2', place.machine().source.now);
  },
};

const sweep: Scenario = {
  name: 'sweep after the grace',
  run: async (world) => {
    const place = await world.place();
    await uploads(place, 2);
    await place.ok(prune(place, ['--keep-last', '1', '--yes']));
    expectSame((await foldersOf(place)).length, 2, 'folders before the grace is over');
    await place.age(AGES.grace);
    await place.ok(prune(place, ['--keep-last', '1', '--yes']));
    const [only] = await place.versions();
    expectSame(await foldersOf(place), [only?.uploadId], 'folders after it');
    await place.expectVersion('latest', place.machine().source.now);
  },
};

const abandoned: Scenario = {
  name: 'kill, begin anew, and sweep what is left',
  run: async (world) => {
    const place = await world.place();
    await killedUpload(place, 'alpha');
    // With the home went the journal: nothing of what was sent is taken up.
    const anew = { ...place.machine('alpha'), home: place.path('home-anew') };
    const { datasetId, uploadId } = await place.json(chunkedUpload(place, 'alpha'), { on: anew });
    const which = ['--dataset-id', String(datasetId), '--keep-last', '9', '--yes'];
    for (const hours of [AGES.abandoned, AGES.grace]) {
      await place.age(hours);
      await place.ok(['dataset', 'prune', place.url, ...which]);
    }
    // Of the other one a fence may stay.
    const left = (await place.store.list()).filter(({ key }) => key.includes('/chunk-'));
    expectSame([...new Set(left.map(folderOf))], [uploadId], 'folders with chunks');
    await place.expectVersion('latest', place.machine().source.now, String(datasetId));
  },
};

const instant: Scenario = {
  name: 'prune --instant, and a tag',
  run: async (world) => {
    const place = await world.place();
    await uploads(place, 1);
    const { now } = place.machine().source;
    await place.ok(['dataset', 'tag', place.url, 'kept', 'v1', '--dataset-id', 'lab']);
    await uploads(place, 2);
    await place.ok(prune(place, ['--keep-last', '1', '--instant', '--yes']));
    const listed = await place.versions();
    expectSame(
      listed.map(({ version }) => version),
      [3, 1],
      'versions',
    );
    expectSame((await foldersOf(place)).length, 2, 'folders');
    await place.expectVersion('v1', now);
  },
};

const scuttle: Scenario = {
  name: 'scuttle',
  run: async (world) => {
    const place = await world.place();
    await uploads(place, 1);
    await place.store.put('notes.txt', Buffer.from('not of archiver'));
    await place.ok(['scuttle', place.url, '--force']);
    const left = (await place.store.list()).map(({ key }) => key).filter((key) => !key.startsWith('archiver'));
    expectSame(left, ['notes.txt'], 'what is left');
  },
};

const unfinished: Scenario = {
  name: 'unfinished uploads of the server',
  needs: 'unfinished',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    if (world.isFolder) return;
    await world.beginMultipart(place, 'uploads/20200101-000000-00000000/shard-00/chunk-000000.tar.zst');
    const document = await place.json(['scuttle', place.url, '--force']);
    expectSame(document['abortedMultiparts'], 1, 'unfinished uploads that were ended');
  },
  withoutIt: async (world) => {
    const place = await world.place();
    await place.sync();
    const sentence = /unfinished uploads.* cannot be seen/;
    await place.says(prune(place, ['--keep-last', '1', '--dry-run']), 0, sentence);
    await place.says(['scuttle', place.url, '--force'], 0, sentence);
  },
};

export const UPKEEP: readonly Scenario[] = [dryRun, retire, sweep, instant, abandoned, unfinished, scuttle];

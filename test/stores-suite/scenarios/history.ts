// Versions: what is known of them, and tags.
import { expect, expectSame, type Scenario } from '../scenario.js';

const versions: Scenario = {
  name: 'dataset versions',
  run: async ({ day }) => {
    const made = [await day.uploaded(), await day.synced(), await day.removedOne()];
    const listed = await (made[0] ?? (await day.uploaded())).place.versions();
    const expected = made.map(({ document }) => [document['version'], document['uploadId']]).toReversed();
    expectSame(
      listed.map(({ version, uploadId }) => [version, uploadId]),
      expected,
      'versions',
    );
  },
};

const older: Scenario = {
  name: 'restore an older version',
  run: async ({ day }) => {
    await day.removedOne();
    const { place, tree } = await day.uploaded();
    await place.expectVersion('v1', tree);
  },
};

const diff: Scenario = {
  name: 'dataset diff',
  run: async ({ day }) => {
    const { place } = await day.removedOne();
    const which = ['--dataset-id', 'lab', '--from', '1', '--to', '3'];
    const document = await place.json(['dataset', 'diff', place.url, ...which]);
    const gone = (document['changes'] as readonly { path?: string; change: string }[]).filter(
      ({ path }) => path === day.removed,
    );
    expectSame([gone.length, Number(document['deleted']) > 0], [1, true], 'what is gone');
  },
};

const find: Scenario = {
  name: 'find',
  run: async ({ day }) => {
    const { place } = await day.removedOne();
    const document = await place.json(['find', day.removed, place.url]);
    expect(Number(document['hitCount']) > 0, 'it found nothing');
  },
};

const tags: Scenario = {
  name: 'tag and untag',
  run: async ({ day }) => {
    const { place } = await day.removedOne();
    const tag = ['dataset', 'tag', place.url, 'kept', 'v1', '--dataset-id', 'lab'];
    await place.ok(tag);
    expectSame((await place.versions()).at(-1)?.tags, ['kept'], 'tags');
    await place.ok([...tag, '--remove']);
    expectSame((await place.versions()).at(-1)?.tags, [], 'tags');
  },
};

const strays: Scenario = {
  name: 'a stray object is named, and disturbs nobody',
  run: async ({ day }) => {
    const { place, tree } = await day.removedOne();
    await place.store.put('datasets/stray/v1.json', Buffer.from('not of archiver'));
    await place.says(['list', place.url], 0, /stray/);
    await place.ok(['find', 'file', place.url]);
    const which = ['--dataset-id', 'lab', '--keep-last', '1', '--dry-run'];
    await place.ok(['dataset', 'prune', place.url, ...which]);
    await place.expectVersion('latest', tree);
    await place.store.remove('datasets/stray/v1.json');
  },
};

export const HISTORY: readonly Scenario[] = [versions, older, diff, find, tags, strays];

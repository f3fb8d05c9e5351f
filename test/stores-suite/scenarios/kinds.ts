// Other ways to write: direct uploads, deduplication, archives, many chunks, and what is put in order afterwards.
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { expect, expectSame, Failure, type Scenario } from '../scenario.js';
import type { Place } from '../place.js';

/** Names that servers get wrong. */
const ODD = [
  'a%20b.txt',
  'a b.txt',
  'a+b.txt',
  'naïve ☃.txt',
  'a&b=c;d?e#f.txt',
  "it's (1) [2] {3}.txt",
  'tab\there.txt',
  '~tilde*star.txt',
];

const direct = ['--direct-upload', '--force-direct-upload'];
const upload = (place: Place): readonly string[] => {
  const { source } = place.machine();
  return ['upload', source.root, place.url, '--dataset-id', 'lab', '--quiet'];
};

const addOdd = (place: Place): void => {
  for (const name of ODD) place.machine().source.add(Buffer.from(name).toString('latin1'), `content of ${name}`);
};

const directUpload: Scenario = {
  name: 'direct upload with odd keys',
  needs: 'exactKeys',
  run: async (world) => {
    const place = await world.place();
    addOdd(place);
    await place.ok([...upload(place), ...direct]);
    await place.expectVersion('v1', place.machine().source.now);
    await place.ok(['verify', place.url, '--deep']);
  },
  withoutIt: async (world) => {
    const place = await world.place();
    addOdd(place);
    await place.says([...upload(place), ...direct], 1, /another name|acknowledged/);
    expectSame(await versionCount(place), 0, 'versions');
  },
};

const versionCount = async (place: Place): Promise<number> =>
  (await place.store.list()).filter(({ key }) => /^datasets\/[^/]+\/v\d+/.test(key)).length;

const dedup: Scenario = {
  name: 'upload --enable-dedup',
  run: async (world) => {
    const place = await world.place();
    const twin = place.noise(400_000);
    for (const name of ['twin-1.bin', 'twin-2.bin']) place.machine().source.add(name, twin);
    await place.ok([...upload(place), '--enable-dedup']);
    await place.expectVersion('v1', place.machine().source.now);
  },
};

const chunks: Scenario = {
  name: 'files larger than a chunk',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    source.add('large.bin', place.noise(5_500_000));
    const flags = ['--chunk-size-mb', '1', '--shards', '4', '--quiet'];
    const document = await place.json(['create', 'upload', source.root, '-b', place.url, ...flags]);
    expect(Number(document['chunks']) > 4, `${String(document['chunks'])} chunks`);
    await place.expectVersion('v1', source.now, String(document['datasetId']));
  },
};

const writer: Scenario = {
  name: 'writers below one store',
  run: async (world) => {
    const place = await world.place();
    const flags = ['--writer-id', 'nas-01'];
    await place.sync('alpha', flags);
    const listed = await place.json(['dataset', 'versions', place.url, '--dataset-id', 'lab', ...flags]);
    expectSame((listed['versions'] as readonly unknown[]).length, 1, 'versions');
    const below = (await place.store.list()).filter(({ key }) => !key.startsWith('writers/nas-01/'));
    expectSame(
      below.filter(({ key }) => /^(uploads|datasets)\//.test(key)),
      [],
      'what lies beside writers/',
    );
  },
};

const migrate: Scenario = {
  name: 'migrate',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    const archive = place.path('archive.tar');
    const format = ['--format=posix', '--xattrs', '--sparse', '--sort=name'];
    execFileSync('tar', [...format, '-C', source.root, '-cf', archive, '.']);
    const document = await place.json(['migrate', archive, place.url, '--quiet']);
    await place.expectVersion('v1', source.now, String(document['datasetId']));
  },
};

const balance: Scenario = {
  name: 'balance',
  run: async (world) => {
    const place = await world.place();
    const { source } = place.machine();
    for (let index = 0; index < 5; index++) source.add(`large-${index}.bin`, place.noise(1_500_000));
    const flags = ['--shard-count', '8', '--shard-strategy', 'type', '--memory-limit', '192MiB'];
    const { location } = await place.json([...upload(place), ...flags]);
    const execute = ['balance', String(location), '--execute', '--threshold', '1.2'];
    if (place.exclusive.length > 0) await place.says(execute, 4, /--exclusive/);
    const document = await place.json([...execute, ...place.exclusive]);
    expect(document['executed'] === true, 'nothing was moved');
    await place.expectVersion('v1', source.now);
  },
};

const repair: Scenario = {
  name: 'repair',
  run: async (world) => {
    const place = await world.place();
    const { location } = await place.json(upload(place));
    const manifest = (await place.store.list()).find(({ key }) => key.endsWith('/manifest.json.gz'));
    if (manifest === undefined) throw new Failure('there is no manifest');
    const bytes = await place.store.get(manifest.key);
    expect(gunzipSync(bytes).length > 0, 'the manifest is empty');
    await place.store.put(manifest.key, bytes.subarray(0, bytes.length / 2));
    const other = place.machine('beta');
    const execute = ['repair', String(location), '--execute'];
    if (place.exclusive.length > 0) await place.says(execute, 4, /--exclusive/, { on: other });
    await place.ok([...execute, ...place.exclusive], { on: other });
    await place.expectVersion('v1', place.machine().source.now);
  },
};

export const KINDS: readonly Scenario[] = [directUpload, dedup, chunks, writer, migrate, balance, repair];

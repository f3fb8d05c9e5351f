// A day of commands: what is written, and what reads it.
import { readFileSync, rmSync } from 'node:fs';
import { differences, snapshot } from '../../soak/snapshot.js';
import { documentOf } from '../place.js';
import { expect, expectSame, Failure, type Scenario } from '../scenario.js';

const setup: Scenario = {
  name: 'setup',
  run: async (world) => {
    const place = await world.place();
    const file = place.path('archiver.yaml');
    await place.ok(['setup', place.url, '--non-interactive', '--output', file]);
    expect(readFileSync(file, 'utf8').includes(place.url), `${file} does not name the store`);
  },
};

const upload: Scenario = {
  name: 'upload',
  run: async ({ day }) => {
    const { place, document, tree } = await day.uploaded();
    expectSame(document['version'], 1, 'its version');
    await place.expectVersion('v1', tree);
  },
};

const dryRun: Scenario = {
  name: 'upload --dry-run',
  run: async (world) => {
    const place = await world.place();
    const document = await place.json(['upload', place.machine().source.root, place.url, '--dry-run', '--quiet']);
    expectSame(document['dryRun'], true, 'dryRun');
    expectSame(await place.store.list(), [], 'what it left');
  },
};

const list: Scenario = {
  name: 'list',
  run: async ({ day }) => {
    const { place, document, tree } = await day.uploaded();
    const files = await place.json(['list', String(document['location'])]);
    const folders = [...tree.values()].filter(({ isFolder }) => isFolder).length;
    expectSame((files['contents'] as readonly unknown[]).length, tree.size - folders, 'what is listed');
    const store = await place.json(['list', place.url]);
    expectSame((store['datasets'] as readonly unknown[]).length, 1, 'datasets');
    await place.ok(['dataset', 'list', place.url]);
  },
};

const verify: Scenario = {
  name: 'verify',
  run: async ({ day }) => {
    const { place } = await day.uploaded();
    const document = await place.json(['verify', place.url]);
    expectSame([document['ok'], document['damagedVersionCount']], [true, 0], 'ok');
  },
};

const verifyDeep: Scenario = {
  name: 'verify --deep',
  run: async ({ day }) => {
    const { place, document } = await day.uploaded();
    const verified = await place.json(['verify', String(document['location']), '--deep']);
    expectSame(verified['ok'], true, 'ok');
    expect(Number(verified['filesRead']) > 0, 'it read no file');
  },
};

const damage: Scenario = {
  name: 'verify --deep finds damage',
  run: async (world) => {
    const place = await world.place();
    await place.sync();
    const chunk = (await place.store.list()).find(({ key }) => key.includes('/chunk-'));
    if (chunk === undefined) throw new Failure('there is no chunk');
    const bytes = await place.store.get(chunk.key);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    await place.store.put(chunk.key, bytes);
    await place.says(['verify', place.url, '--deep'], 1, /damaged|does not match|differs/);
  },
};

const restore: Scenario = {
  name: 'restore, byte for byte',
  run: async ({ day }) => {
    const { place, tree } = await day.synced();
    await place.expectVersion('v2', tree);
  },
};

const restoreOne: Scenario = {
  name: 'restore one file',
  run: async ({ day }) => {
    const { place, tree } = await day.uploaded();
    const output = place.path('one');
    const which = ['--dataset-id', 'lab', '--version', '1', '--file', day.removed];
    await place.ok(['restore', place.url, output, ...which, '--quiet']);
    const wanted = new Map([...tree].filter(([path]) => path === day.removed));
    const found = differences(wanted, snapshot(output));
    expectSame(found, [], 'differences');
  },
};

const download: Scenario = {
  name: 'download',
  run: async ({ day }) => {
    const { place, document, tree } = await day.uploaded();
    const output = place.path('downloaded');
    await place.ok(['download', String(document['location']), output, '--quiet']);
    expectSame(differences(tree, snapshot(output)), [], 'differences');
    rmSync(output, { recursive: true });
  },
};

const sync: Scenario = {
  name: 'sync',
  run: async ({ day }) => {
    const { document } = await day.synced();
    expectSame(document['version'], 2, 'its version');
    expect(Number(document['unchanged']) > 0, 'it sent everything again');
  },
};

const syncUnchanged: Scenario = {
  name: 'sync without changes',
  run: async (world) => {
    const { place } = await world.day.removedOne();
    const before = await place.store.list();
    const document = await place.sync();
    expectSame(document['noChanges'], true, 'noChanges');
    expectSame(await place.store.list(), before, 'what lies in the store');
  },
};

const deletes: Scenario = {
  name: 'sync --track-deletes',
  run: async ({ day }) => {
    const { place, document, tree } = await day.removedOne();
    expectSame([document['version'], tree.has(day.removed)], [3, false], 'version and file');
    await place.expectVersion('v3', tree);
  },
};

const shell: Scenario = {
  name: 'shell',
  run: async ({ day }) => {
    const { place, document } = await day.uploaded();
    const { stdout } = await place.ok(['shell', String(document['location']), '-c', `cat ${day.removed}`]);
    expectSame(stdout, 'here until the third version', 'the file');
  },
};

const info: Scenario = {
  name: 'info',
  run: async ({ day }) => {
    const { place, document } = await day.synced();
    const described = documentOf(await place.ok(['info', String(document['location']), '--json']));
    expectSame(described['uploadId'], document['uploadId'], 'uploadId');
  },
};

/** In the order of a day. */
export const READING: readonly Scenario[] = [
  setup,
  dryRun,
  upload,
  list,
  verify,
  verifyDeep,
  restore,
  restoreOne,
  download,
  shell,
  sync,
  deletes,
  syncUnchanged,
  damage,
  info,
];

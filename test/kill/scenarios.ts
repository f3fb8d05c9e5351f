// What is killed. Each scenario leaves a store in which something is to be done, and names the command that does it.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAll } from '../../src/core/store/read-content.js';
import { noise } from '../core/archive/trees.js';
import type { Place } from './world.js';

export interface Scenario {
  readonly name: string;
  /** Gives the command that is killed. */
  readonly prepare: (place: Place) => Promise<readonly string[]>;
  /** A version that cannot be read before the command has done its work. */
  readonly damaged?: string;
  /** The rerun leaves nothing that no version refers to. */
  readonly isTidy?: true;
  /** What it leaves half done lies in the folder of a version, where a prune does not look: its own next run does. */
  readonly isMending?: true;
}

/** Runs a command that has to succeed. */
export async function done(place: Place, args: readonly string[]): Promise<string> {
  const ran = await place.run(...args);
  if (ran.status !== 0) throw new Error(`${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** So many that an edit is a delta: less than a quarter of the listing. */
const FILES = 80;

function fill({ source }: Place, files = FILES): void {
  mkdirSync(join(source, 'sub'));
  for (let i = 0; i < files; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  for (let i = 0; i < 4; i++) writeFileSync(join(source, 'sub', `noise-${i}`), noise(100_000));
}

function edit({ source }: Place, round: number): void {
  writeFileSync(join(source, 'sub', `new-${round}`), noise(50_000));
  rmSync(join(source, `file-${round}`));
  chmodSync(join(source, 'file-9'), round % 2 === 0 ? 0o600 : 0o640);
}

/** The source is copied back before each kill, and has other change times then. */
const sync = ({ source, url }: Place): readonly string[] => [
  'sync',
  source,
  url,
  '--track-deletes',
  '--ignore-ctime',
  '--quiet',
];

/** A new version of a dataset whose name does not depend on where the source is. */
const syncLab = (place: Place): readonly string[] => [...sync(place), '--dataset-id', 'lab'];

async function history(place: Place, versions: number): Promise<void> {
  fill(place);
  await done(place, syncLab(place));
  for (let round = 1; round < versions; round++) {
    edit(place, round);
    await done(place, syncLab(place));
  }
}

/** The folder of the only upload. */
async function onlyUpload({ store }: Place): Promise<string> {
  const folders = [];
  for await (const page of store.list({ prefix: 'uploads/', delimiter: '/' })) folders.push(...page.prefixes);
  if (folders.length !== 1) throw new Error(`${folders.length} uploads instead of one`);
  return (folders[0] ?? '').slice(0, -1);
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'the first upload',
    prepare: async (place) => {
      fill(place);
      return ['upload', place.source, place.url, '--quiet', '--shard-count', '4'];
    },
  },
  {
    name: 'an upload that stores equal files once',
    prepare: async (place) => {
      fill(place);
      const twins = [noise(100_000), noise(2_000_000)];
      for (const [i, twin] of [...twins, ...twins].entries()) writeFileSync(join(place.source, `twin-${i}`), twin);
      return ['upload', place.source, place.url, '--quiet', '--shard-count', '4', '--enable-dedup'];
    },
  },
  {
    name: 'a direct upload',
    prepare: async (place) => {
      fill(place, 4); // each is an object, with points of its own
      return [
        'upload',
        place.source,
        place.url,
        '--quiet',
        '--shard-count',
        '4',
        '--direct-upload',
        '--direct-upload-workers',
        '1',
      ];
    },
  },
  {
    name: 'a sync',
    prepare: async (place) => {
      fill(place);
      await done(place, sync(place));
      edit(place, 1);
      return sync(place);
    },
  },
  {
    name: 'a sync that writes a full listing',
    prepare: async (place) => {
      fill(place);
      await done(place, sync(place));
      for (let i = 0; i < FILES; i++) writeFileSync(join(place.source, `file-${i}`), `other content ${i}`);
      return sync(place);
    },
  },
  {
    name: 'a prune that compacts a delta',
    prepare: async (place) => {
      await history(place, 4);
      return ['dataset', 'prune', place.url, '--dataset-id', 'lab', '--keep-last', '2', '--force', '--instant'];
    },
    isTidy: true,
  },
  {
    name: 'a balance',
    prepare: async (place) => {
      fill(place);
      for (let i = 0; i < 6; i++) writeFileSync(join(place.source, `large-${i}.bin`), noise(3_500_000));
      const upload = ['upload', place.source, place.url, '--dataset-id', 'lab', '--quiet'];
      await done(place, [...upload, '--shard-count', '8', '--shard-strategy', 'type', '--memory-limit', '192MiB']);
      return ['balance', `${place.url}/${await onlyUpload(place)}`, '--execute', '--threshold', '1.2'];
    },
  },
  {
    name: 'a copy from another store',
    prepare: async (place) => {
      const from = { ...place, url: `file://${join(place.source, '..', 'from')}` };
      await history(from, 3);
      return ['copy', from.url, place.url, '--quiet', '--workers', '1'];
    },
    isTidy: true,
  },
  {
    name: 'a repair of a damaged manifest',
    prepare: async (place) => {
      await history(place, 1);
      const upload = await onlyUpload(place);
      const manifest = `${upload}/manifest.json.gz`;
      await place.store.put(manifest, (await readAll(await place.store.get(manifest), 1 << 20)).subarray(0, 300));
      return ['repair', `${place.url}/${upload}`, '--execute'];
    },
    damaged: 'lab v1',
    isMending: true,
  },
];

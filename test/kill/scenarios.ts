// What is killed. Each scenario leaves a store in which something is to be done, and names the command that does it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noise } from '../core/archive/trees.js';
import type { Place } from './world.js';

export interface Scenario {
  readonly name: string;
  readonly prepare: (place: Place) => Promise<void>;
  readonly command: (place: Place) => readonly string[];
  /** A version that cannot be read before the command has done its work. */
  readonly damaged?: string;
}

/** Runs a command that has to succeed. */
export async function done(place: Place, args: readonly string[]): Promise<string> {
  const ran = await place.run(...args);
  if (ran.status !== 0) throw new Error(`${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

function fill({ source }: Place): void {
  for (const name of readdirSync(source)) rmSync(join(source, name), { recursive: true });
  mkdirSync(join(source, 'sub'));
  for (let i = 0; i < 12; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  for (let i = 0; i < 4; i++) writeFileSync(join(source, 'sub', `noise-${i}`), noise(100_000));
}

function edit({ source }: Place, round: number): void {
  writeFileSync(join(source, 'sub', `new-${round}`), noise(50_000));
  rmSync(join(source, `file-${round}`));
  chmodSync(join(source, 'file-9'), round % 2 === 0 ? 0o600 : 0o640);
}

const sync = ({ source, url }: Place): readonly string[] => ['sync', source, url, '--track-deletes', '--quiet'];

/** Commands that only add to a store. */
export const ADDING: readonly Scenario[] = [
  {
    name: 'the first upload',
    prepare: async (place) => fill(place),
    command: ({ source, url }) => ['upload', source, url, '--quiet', '--shard-count', '4'],
  },
  {
    name: 'a sync',
    prepare: async (place) => {
      fill(place);
      await done(place, sync(place));
      edit(place, 1);
    },
    command: sync,
  },
  {
    name: 'a sync that writes a full listing',
    prepare: async (place) => {
      fill(place);
      await done(place, sync(place));
      for (let i = 0; i < 12; i++) writeFileSync(join(place.source, `file-${i}`), `other content ${i}`);
    },
    command: sync,
  },
];

async function history(place: Place, versions: number): Promise<void> {
  fill(place);
  await done(place, named(place));
  for (let round = 1; round < versions; round++) {
    edit(place, round);
    await done(place, named(place));
  }
}

const named = (place: Place): readonly string[] => [...sync(place), '--dataset-id', 'lab'];

function folderOf({ url }: Place): string {
  if (!url.startsWith('file://')) throw new Error('this scenario damages files of a folder store');
  return url.slice('file://'.length);
}

function uploadsOf(place: Place): string[] {
  return readdirSync(join(folderOf(place), 'uploads')).sort();
}

/** Commands that rewrite or remove what is in a folder store. */
export const REWRITING: readonly Scenario[] = [
  {
    name: 'a prune that compacts a delta',
    prepare: (place) => history(place, 4),
    command: ({ url }) => ['dataset', 'prune', url, '--dataset-id', 'lab', '--keep-last', '2', '--force'],
  },
  {
    name: 'a balance',
    prepare: async (place) => {
      fill(place);
      for (let i = 0; i < 6; i++) writeFileSync(join(place.source, `large-${i}.bin`), noise(3_500_000));
      const upload = ['upload', place.source, place.url, '--dataset-id', 'lab', '--quiet'];
      await done(place, [...upload, '--shard-count', '8', '--shard-strategy', 'type', '--memory-limit', '192MiB']);
    },
    command: (place) => [
      'balance',
      `${place.url}/uploads/${uploadsOf(place)[0] ?? ''}`,
      '--execute',
      '--threshold',
      '1.2',
    ],
  },
  {
    name: 'a repair of a damaged manifest',
    prepare: async (place) => {
      await history(place, 1);
      const manifest = join(folderOf(place), 'uploads', uploadsOf(place)[0] ?? '', 'manifest.json.gz');
      writeFileSync(manifest, readFileSync(manifest).subarray(0, 300));
    },
    command: (place) => ['repair', `${place.url}/uploads/${uploadsOf(place)[0] ?? ''}`, '--execute'],
    damaged: 'lab v1',
  },
];

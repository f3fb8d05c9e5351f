// A folder, a store and a home that are put back before every kill.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileStore } from '../../src/core/object-store/file/file-store.js';
import type { ObjectStore } from '../../src/core/object-store/object-store.js';
import { archiver, type Ran } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

const PRELOAD = fileURLToPath(new URL('kill-at.mjs', import.meta.url));

/** What scenarios work in, whatever the store. */
export interface Place {
  readonly source: string;
  readonly store: ObjectStore;
  /** The store's URL. */
  readonly url: string;
  /** Runs the program in this world. */
  run(...args: readonly string[]): Promise<Ran>;
}

export interface World extends Place {
  /** How many points of a run there are at which it can be killed. */
  count(...args: readonly string[]): Promise<number>;
  /** Runs it and kills it at its n-th point. False when it ended before. */
  killAt(point: number, ...args: readonly string[]): Promise<boolean>;
  /** Remembers everything as it is now. */
  save(): Promise<void>;
  /** Puts everything back as it was saved. */
  reset(): Promise<void>;
}

/** A source and a home in a folder that can be put back. */
export interface Folders {
  /** What `save` remembers. */
  readonly live: string;
  readonly source: string;
  readonly home: string;
  readonly save: () => void;
  readonly reset: () => void;
}

export async function makeFolders(): Promise<Folders> {
  const folder = await tempFolder();
  const [live, saved] = [join(folder, 'live'), join(folder, 'saved')];
  const [source, home] = [join(live, 'source'), join(live, 'home')];
  for (const path of [source, home]) mkdirSync(path, { recursive: true });
  return { live, source, home, save: () => copy(live, saved), reset: () => copy(saved, live) };
}

/** An empty world with a folder store; a point is before a change to a file system. */
export async function makeWorld(): Promise<World> {
  const { live, source, home, save, reset } = await makeFolders();
  const base = join(live, 'store');
  mkdirSync(base);
  const preload = (env: Record<string, string>) => ({ env: { ...env, NODE_OPTIONS: `--import ${PRELOAD}` } });
  const countFile = join(live, 'count');
  return {
    source,
    store: fileStore(base),
    url: `file://${base}`,
    run: (...args) => archiver(home, args),
    killAt: async (point, ...args) =>
      (await archiver(home, args, preload({ ARCHIVER_KILL_AT: String(point) }))).status === null,
    count: async (...args) => {
      const ran = await archiver(home, args, preload({ ARCHIVER_KILL_COUNT: countFile }));
      if (!existsSync(countFile)) throw new Error(`the run was not counted: ${ran.stderr}`);
      return Number(readFileSync(countFile, 'utf8'));
    },
    save: async () => save(),
    reset: async () => reset(),
  };
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, to]);
}

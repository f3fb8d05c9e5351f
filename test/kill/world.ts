// A folder, a store and a home that are put back before every kill.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from '../../src/commands/index.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../src/core/store/object-store.js';
import { archiver, type Ran } from '../e2e/upload-cli.js';
import { runCommand } from '../support/run-command.js';
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
  /** The points of a run at which it can be killed: what it is about to do there. */
  points(...args: readonly string[]): Promise<readonly string[]>;
  /** Runs it and kills it at that point. False when it did not come there. */
  killAt(point: string, ...args: readonly string[]): Promise<boolean>;
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

/** An empty world with a folder store; a point is before a change to a file system. Only what is counted or killed is a process. */
export async function makeWorld(): Promise<World> {
  const { live, source, home, save, reset } = await makeFolders();
  const base = join(live, 'store');
  mkdirSync(base);
  const preload = (env: Record<string, string>) => ({ env: { ...env, NODE_OPTIONS: `--import ${PRELOAD}` } });
  const listFile = join(live, 'points');
  const root = program();
  const env = { PATH: process.env['PATH'] ?? '', ARCHIVER_HOME: join(home, '.archiver') };
  return {
    source,
    store: fileStore(base),
    url: `file://${base}`,
    run: (...args) => runCommand({ root, folder: home, env }, args),
    killAt: async (point, ...args) =>
      (await archiver(home, args, preload({ ARCHIVER_KILL_AT: point }))).status === null,
    points: async (...args) => {
      const ran = await archiver(home, args, preload({ ARCHIVER_KILL_LIST: listFile }));
      if (!existsSync(listFile)) throw new Error(`the points of the run were not listed: ${ran.stderr}`);
      return readFileSync(listFile, 'utf8').split('\n');
    },
    save: async () => save(),
    reset: async () => reset(),
  };
}

function copy(from: string, to: string): void {
  // A run in this process may still be writing to its caches when its command has ended.
  rmSync(to, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  // -T: where such a write has made the folder again, the copy goes into its place and not below it.
  execFileSync('cp', ['-aT', from, to]);
}

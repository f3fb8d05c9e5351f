// A folder, a store and a home that are put back before every kill.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { archiver, type Ran } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

const PRELOAD = fileURLToPath(new URL('kill-at.mjs', import.meta.url));

/** What scenarios work in, whatever the store. */
export interface Place {
  readonly source: string;
  /** The store's URL. */
  readonly url: string;
  /** Runs the program in this world. */
  run(...args: readonly string[]): Promise<Ran>;
}

export interface World extends Place {
  readonly base: string;
  /** Runs it and kills it before its n-th change to the file system. False when it ended before. */
  killAt(change: number, ...args: readonly string[]): Promise<boolean>;
  /** How many changes a run makes. */
  count(...args: readonly string[]): Promise<number>;
  /** Remembers everything as it is now. */
  save(): void;
  /** Puts everything back as it was saved. */
  reset(): void;
}

/** An empty world with a folder store. */
export async function makeWorld(): Promise<World> {
  const folder = await tempFolder();
  const live = join(folder, 'live');
  const saved = join(folder, 'saved');
  const base = join(live, 'store');
  const source = join(live, 'source');
  const home = join(live, 'home');
  for (const path of [source, base, home]) mkdirSync(path, { recursive: true });
  const preload = (env: Record<string, string>) => ({ env: { ...env, NODE_OPTIONS: `--import ${PRELOAD}` } });
  const countFile = join(folder, 'count');
  return {
    source,
    base,
    url: `file://${base}`,
    run: (...args) => archiver(home, args),
    killAt: async (change, ...args) =>
      (await archiver(home, args, preload({ ARCHIVER_KILL_AT: String(change) }))).status === null,
    count: async (...args) => {
      rmSync(countFile, { force: true });
      const ran = await archiver(home, args, preload({ ARCHIVER_KILL_COUNT: countFile }));
      if (!existsSync(countFile)) throw new Error(`the run was not counted: ${ran.stderr}`);
      return Number(readFileSync(countFile, 'utf8'));
    },
    save: () => copy(live, saved),
    reset: () => copy(saved, live),
  };
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, to]);
}

// DVC itself, each release in a virtual environment of its own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { venv } from './venv.js';

const run = promisify(execFile);
const MOST_MS = 120_000;

export interface Dvc {
  /** Runs it in a repository, whose user has the home folder `home`; returns what it printed. @throws when it fails */
  readonly run: (repository: string, home: string, args: readonly string[]) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** The releases that are tried. */
export const DVC_RELEASES = ['3.67.1', '2.58.2'] as const;
export type DvcRelease = (typeof DVC_RELEASES)[number];

/** Packages as they were when a release was made, where it does not work with those of today. */
const OF_ITS_TIME: Readonly<Partial<Record<DvcRelease, readonly string[]>>> = {
  // `dvc init` calls `Repo.stage` of dulwich, and .dvcignore takes a private mark of pathspec: those of today have neither.
  '2.58.2': ['dulwich==0.21.7', 'pathspec==0.12.1', 'fsspec==2023.6.0'],
};

/** Installs a release; or returns why it cannot be had here. */
export async function dvc(release: DvcRelease): Promise<Dvc | string> {
  const made = await venv({ name: `dvc-${release}`, packages: [`dvc==${release}`, ...(OF_ITS_TIME[release] ?? [])] });
  if (typeof made === 'string') return made;
  return {
    run: async (cwd, home, args) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, DVC_NO_ANALYTICS: '1' };
      return (await run(made.bin('dvc'), args, { cwd, env, timeout: MOST_MS })).stdout;
    },
    remove: made.remove,
  };
}

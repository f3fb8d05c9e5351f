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
export const DVC_RELEASES = ['3.67.1'] as const;
export type DvcRelease = (typeof DVC_RELEASES)[number];

/** Installs a release; or returns why it cannot be had here. */
export async function dvc(release: DvcRelease): Promise<Dvc | string> {
  const made = await venv({ name: `dvc-${release}`, packages: [`dvc==${release}`] });
  if (typeof made === 'string') return made;
  return {
    run: async (cwd, home, args) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, DVC_NO_ANALYTICS: '1' };
      return (await run(made.bin('dvc'), args, { cwd, env, timeout: MOST_MS })).stdout;
    },
    remove: made.remove,
  };
}

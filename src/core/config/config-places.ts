// Where the config file may lie. The first that exists is the one: files are not merged.
import { join, resolve } from 'node:path';

export interface ConfigSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  readonly cwd: string;
}

export interface ConfigPlaces {
  /** In search order. */
  readonly paths: readonly string[];
  /** `$ARCHIVER_CONFIG` named the file: that it is missing is an error. */
  readonly isNamed: boolean;
}

/** `$ARCHIVER_CONFIG` alone, else home, the config folder of the user, and the current folder. */
export function configPlaces({ env, userHome, cwd }: ConfigSurroundings): ConfigPlaces {
  const named = env['ARCHIVER_CONFIG'] ?? '';
  if (named !== '') return { paths: [resolve(cwd, named)], isNamed: true };
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  // The XDG rules say that a relative path there is to be ignored.
  const xdgFolders = xdg.startsWith('/') ? [xdg] : [];
  const folders = [...new Set([...xdgFolders, join(userHome, '.config')])];
  return {
    paths: [
      join(userHome, '.archiver.yaml'),
      ...folders.map((folder) => join(folder, 'archiver', '.archiver.yaml')),
      resolve(cwd, '.archiver.yaml'),
    ],
    isNamed: false,
  };
}

/** True for the file of the current folder, where that is neither the home of the user nor named. */
export function isOfFolder(path: string, surroundings: ConfigSurroundings): boolean {
  const { paths, isNamed } = configPlaces(surroundings);
  return !isNamed && path === paths.at(-1) && paths.indexOf(path) === paths.length - 1;
}

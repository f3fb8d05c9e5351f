// The config file as a layer of one command's flags.
import { readFile } from 'node:fs/promises';
import { usageError } from '../core/platform/failures/errors.js';
import { loadConfig, problemText, type ConfigFile } from '../core/config/load-config.js';
import { isOfFolder } from '../core/config/config-places.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Declaration } from './declaration.js';
import { doubleSettings, storeProblems } from './config-problems.js';
import { configKeysFor, configSchema, type TreeSchema } from './config-tree.js';
import type { Host } from './host.js';
import { type ConfigLayer, storesIn } from './named-stores.js';
import type { ConfigLookup } from './layers.js';
import type { Called } from './feature.js';
import type { Node } from './tree.js';

const nothing: ConfigLayer = () => undefined;

/** Returns a lookup of the file's settings for a command: first in its own section, then in the shared ones. */
export function lookupIn(file: ConfigFile, command: Pick<Declaration, 'path' | 'globals'>): ConfigLookup {
  const settings = new Map(file.settings.map((setting) => [setting.key, setting]));
  return (key) => {
    for (const name of configKeysFor(command, key)) {
      const found = settings.get(name);
      if (found !== undefined)
        return {
          texts: found.texts,
          where: `${name} in ${printable(file.path)} (line ${found.line})`,
          line: found.line,
        };
    }
    return undefined;
  };
}

/** Refuses programs to run that are named by a config file in the working directory, as someone else may have made it. @throws usage */
function refusePrograms({ path, settings }: ConfigFile, { globals }: Node, host: Host): void {
  const own = Object.entries(globals.sections).flatMap(([name, { isOwnOnly }]) => (isOwnOnly ? [name] : []));
  const foreign = settings.find(({ key }) => own.some((section) => key.startsWith(`${section}.`)));
  if (foreign === undefined || !isOfFolder(path, host)) return;
  throw usageError(
    `${foreign.key} in ${printable(path)} (line ${foreign.line}) is not taken from the current folder: it names a program to run`,
    'move it to ~/.archiver.yaml, or name the file with ARCHIVER_CONFIG',
  );
}

/** Reads the config file for a command. Anything in it that is not understood stops the command. */
export async function loadConfigLayer(
  root: Node & Pick<Called, 'whole'>,
  command: Declaration,
  host: Host,
): Promise<ConfigLayer> {
  if (command.ignoresConfigFile === true) return nothing;
  let schema: TreeSchema | undefined;
  // A file may have keys of every command.
  const schemaOf = async (): Promise<TreeSchema> => (schema ??= configSchema((await root.whole?.()) ?? root));
  const file = await loadConfig(host, schemaOf, readFile);
  if (file === undefined) return nothing;
  refusePrograms(file, root, host);
  const problem = [
    ...file.problems,
    ...doubleSettings(await schemaOf(), file.settings),
    ...storeProblems(file.settings),
  ][0];
  if (problem !== undefined) {
    const hint = problem.hint === undefined ? '' : `${problem.hint}  `;
    throw usageError(problemText(file.path, problem), `${hint}archiver config --validate`);
  }
  return Object.assign(lookupIn(file, command), { stores: storesIn(file) });
}

// Finds settings of a config file that stop every run of some command: each may stand in the file, and two of them may not stand together.
import { printable } from '../core/platform/paths/raw-path.js';
import type { ConfigFile } from '../core/config/load-config.js';
import type { ConfigProblem } from '../core/config/parse-config.js';
import { isArchiverError } from '../core/platform/failures/errors.js';
import { lookupIn } from './config-layer.js';
import { storesIn } from './named-stores.js';
import { brokenRules } from './parse-command.js';
import { commandsUnder, type Node } from './tree.js';

interface Broken extends Omit<ConfigProblem, 'message'> {
  readonly text: string;
  readonly commands: string[];
}

/** Returns a problem for each rule that settings of the file break by themselves, at the last of their lines. */
export function contradictions(root: Node, file: ConfigFile, cwd: string): readonly ConfigProblem[] {
  const found = new Map<string, Broken>();
  const around = { stores: storesIn(file), cwd };
  for (const command of commandsUnder(root)) {
    if (command.ignoresConfigFile === true) continue;
    const config = lookupIn(file, command);
    for (const { failure, keys } of rulesBroken(command, config, around)) {
      const given = keys.flatMap((key) => config(key) ?? []).sort((a, b) => a.line - b.line);
      const last = given.at(-1);
      // What needs another flag may get it from the command line.
      if (given.length < 2 || last === undefined) continue;
      const others = given.slice(0, -1).map(({ where, line }) => `${nameOf(where)} in line ${line}`);
      const key = nameOf(last.where);
      const text = `contradicts ${others.join(' and ')}: ${failure}`;
      const known = found.get(`${key} ${text}`);
      if (known === undefined) found.set(`${key} ${text}`, { line: last.line, key, text, commands: [command.path] });
      else known.commands.push(command.path);
    }
  }
  return [...found.values()].map(({ text, commands, ...problem }) => ({
    ...problem,
    message: `${text} (${usersText(commands)})`,
  }));
}

const nameOf = (where: string): string => printable(where.split(' ')[0] ?? '');

/** `archiver upload and 3 other commands`. */
function usersText([first = '', ...others]: readonly string[]): string {
  const more = others.length === 1 ? `archiver ${others[0] ?? ''}` : `${others.length} other commands`;
  return others.length === 0 ? `archiver ${first}` : `archiver ${first} and ${more}`;
}

/** A value that no flag would take is a problem of its own. */
function rulesBroken(...call: Parameters<typeof brokenRules>): ReturnType<typeof brokenRules> {
  try {
    return brokenRules(...call);
  } catch (error) {
    if (isArchiverError(error, 'usage')) return [];
    throw error;
  }
}

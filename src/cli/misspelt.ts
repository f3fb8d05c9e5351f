// Warns of variables that look like one of ours and are none: a misspelt one would silently do nothing.
import { envNames, isOfOthers, RESERVED_VARIABLES } from './env-names.js';
import { allFlags } from './global-flags.js';
import { settingsIn } from './globals.js';
import { STORE_KEY } from './store-setting.js';
import { suggest } from '../core/platform/text/suggest.js';
import type { Declaration } from './declaration.js';
import type { Called } from './feature.js';
import { commandsUnder, type Node } from './tree.js';

const OURS = 'ARCHIVER_';
/** Variables for tests of the program itself, which help does not show. */
const UNDOCUMENTED = ['ARCHIVER_NO_LIBC'];

/** All variables that one of these commands reads. */
function knownVariables({ globals }: Node, commands: Iterable<Declaration>): ReadonlySet<string> {
  const known = new Set<string>([...RESERVED_VARIABLES.map(({ name }) => name), ...UNDOCUMENTED]);
  const settings = Object.entries(settingsIn(globals)).flatMap(([key, { isFileOnly }]) => (isFileOnly ? [] : [key]));
  for (const command of commands)
    for (const key of [STORE_KEY, ...settings, ...Object.keys(allFlags(command))])
      for (const name of envNames(command.path, key)) known.add(name);
  return known;
}

/** Warns of each variable that is close to a known one; others that begin with ARCHIVER_ belong to something else. */
export async function warnOfMisspelt(
  { root, command }: { readonly root: Node & Pick<Called, 'whole'>; readonly command: Declaration },
  env: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): Promise<void> {
  const ours = Object.keys(env).filter((name) => name.startsWith(OURS) && !isOfOthers(name));
  if (ours.length === 0) return;
  // The names for all commands are several thousand: they are made where this command reads none of that name.
  const own = knownVariables(root, [command]);
  const given = ours.filter((name) => !own.has(name));
  if (given.length === 0) return;
  const whole = (await root.whole?.()) ?? root;
  const known = knownVariables(whole, commandsUnder(whole));
  const words = Array.from(known, (name) => name.slice(OURS.length));
  for (const name of given) {
    const near = known.has(name) ? undefined : suggest(name.slice(OURS.length), words);
    if (near !== undefined) warn(`${name} is no variable of archiver and does nothing; did you mean ${OURS}${near}?`);
  }
}

// Warns of variables that look like one of ours and are none: a misspelt one would silently do nothing.
import { envNames, isOfOthers, RESERVED_VARIABLES } from './env-names.js';
import { allFlags } from './global-flags.js';
import { settingsIn } from './globals.js';
import { STORE_KEY } from './store-setting.js';
import { suggest } from '../core/platform/text/suggest.js';
import { commandsUnder, type Node } from './tree.js';

const OURS = 'ARCHIVER_';
/** Variables for tests of the program itself, which help does not show. */
const UNDOCUMENTED = ['ARCHIVER_NO_LIBC'];

/** All variables that some command reads. */
function knownVariables(root: Node): ReadonlySet<string> {
  const known = new Set<string>([...RESERVED_VARIABLES.map(({ name }) => name), ...UNDOCUMENTED]);
  const settings = Object.entries(settingsIn(root.globals)).flatMap(([key, { isFileOnly }]) =>
    isFileOnly ? [] : [key],
  );
  for (const command of commandsUnder(root))
    for (const key of [STORE_KEY, ...settings, ...Object.keys(allFlags(command))])
      for (const name of envNames(command.path, key)) known.add(name);
  return known;
}

/** Warns of each variable that is close to a known one; others that begin with ARCHIVER_ belong to something else. */
export function warnOfMisspelt(
  root: Node,
  env: Readonly<Record<string, string | undefined>>,
  warn: (text: string) => void,
): void {
  const given = Object.keys(env).filter((name) => name.startsWith(OURS) && !isOfOthers(name));
  if (given.length === 0) return;
  const known = knownVariables(root);
  const words = Array.from(known, (name) => name.slice(OURS.length));
  for (const name of given) {
    const near = known.has(name) ? undefined : suggest(name.slice(OURS.length), words);
    if (near !== undefined) warn(`${name} is no variable of archiver and does nothing; did you mean ${OURS}${near}?`);
  }
}

// Calls that ask nothing of any command: the program's own help page and its version. They are answered without the declarations of all
// commands, which take longer to load than Node itself.
import { defined } from '../core/platform/defined.js';
import type { Command } from './command.js';
import type { Host } from './host.js';
import { FRAMEWORK } from './settings.js';
import type { Node } from './tree.js';

const isHelp = (argv: readonly string[]): boolean =>
  argv.length === 1 && ['--help', '-h', 'help'].includes(argv[0] ?? '');
const isVersion = (argv: readonly string[]): boolean => argv.length === 1 && argv[0] === '--version';

/**
 * Returns a root without commands that answers this call as the whole tree would; undefined where it takes the tree. `helpText` gives the
 * help page that the build has made, undefined without a build.
 */
export function frontRoot(
  argv: readonly string[],
  env: Host['env'],
  helpText: () => string | undefined,
): Node<Command> | undefined {
  // As JSON, help says everything about every command.
  if (env['ARCHIVER_JSON'] !== undefined) return undefined;
  const page = isHelp(argv) ? helpText() : undefined;
  if (page === undefined && !isVersion(argv)) return undefined;
  return { words: [], summary: '', command: undefined, children: new Map(), globals: FRAMEWORK, ...defined({ page }) };
}

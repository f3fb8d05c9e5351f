// The program's help page and its version are printed before anything else is loaded: with all that a command needs to fail well, they take a
// third longer. Whatever is unusual is left to the program: another setting in the environment, and an output that takes nothing.
import { writeSync } from 'node:fs';

const STDOUT = 1;
/** Variables that say where something is, of which neither page says anything. */
const PLACES = new Set(['ARCHIVER_HOME', 'ARCHIVER_CONFIG', 'ARCHIVER_STORE']);

/** Returns what this call prints; undefined where it takes the program. `helpPage` gives the page that the build has made. */
export function textAtOnce(
  [word, ...others]: readonly string[],
  env: NodeJS.ProcessEnv,
  texts: { readonly version: string; readonly helpPage: () => string | undefined },
): string | undefined {
  const isSet = Object.keys(env).some((name) => name.startsWith('ARCHIVER_') && !PLACES.has(name));
  if (isSet || others.length > 0) return undefined;
  if (word === '--version') return `archiver ${texts.version}\n`;
  return word === '--help' || word === '-h' || word === 'help' ? texts.helpPage() : undefined;
}

/** Returns whether stdout has taken the text: a pipe takes as much at once, or nothing. */
export function isPrinted(text: string): boolean {
  try {
    return writeSync(STDOUT, text) === Buffer.byteLength(text);
  } catch {
    return false;
  }
}

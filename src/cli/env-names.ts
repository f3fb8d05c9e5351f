// The environment variables of a flag. The command's own variable wins over the one that all commands share.
import { kebab } from './flag.js';

/** Variables with a meaning of their own: they never set a flag of the same name. */
export const RESERVED_VARIABLES = [
  { name: 'ARCHIVER_HOME', describe: 'folder of local state instead of ~/.archiver' },
  { name: 'ARCHIVER_CONFIG', describe: 'config file to read instead of searching for one' },
  { name: 'ARCHIVER_GPG_PASSPHRASE', describe: 'passphrase of the private key that create keys makes' },
] as const;

/**
 * Words that images and scripts use for the program itself (`ENV ARCHIVER_VERSION=0.1.0`) or for what they work on, and one that is an amount
 * of one command and a project of another (`--budget`). A flag with such a name has only the command's own variable: `ARCHIVER_RESTORE_VERSION`.
 */
const WORDS_OF_IMAGES = new Set(
  [
    'version',
    'tag',
    'hash',
    'checksum',
    'file',
    'files',
    'from',
    'to',
    'command',
    'stage',
    'project',
    'format',
    'git_commit',
    'pattern',
    'channel',
    'username',
    'cost',
    'volume',
    'period',
    'budget',
  ].map((word) => `ARCHIVER_${word.toUpperCase()}`),
);

const reserved: ReadonlySet<string> = new Set(RESERVED_VARIABLES.map(({ name }) => name));
const upper = (text: string): string => text.replaceAll(/[ -]/g, '_').toUpperCase();

/** True for a variable that may well be about something else. */
export const isOfOthers = (name: string): boolean => WORDS_OF_IMAGES.has(name);

/** Variable names of settings other than flags, by their keys. */
const OWN_VARIABLES: Readonly<Record<string, string>> = { url: 'STORE' };

/** Names of the variables that set this flag for this command; the first one wins. */
export function envNames(path: string, key: string): readonly string[] {
  const flag = OWN_VARIABLES[key] ?? upper(kebab(key));
  const names = path === '' ? [`ARCHIVER_${flag}`] : [`ARCHIVER_${upper(path)}_${flag}`, `ARCHIVER_${flag}`];
  return names.filter((name) => !reserved.has(name) && !isOfOthers(name));
}

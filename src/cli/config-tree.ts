// Derives the config keys from the command tree. A key `<command>.<flag>` sets the flag for that command alone, `defaults.<flag>` for every
// command that has it; `aws` and `storage` hold the flags that most commands share.
import type { ConfigKey, ConfigSchema } from '../core/config/config-schema.js';
import { type Declaration, wordsOf } from './declaration.js';
import { camel, flag, kebab, type Flag, type Flags } from './flag.js';
import { allFlags } from './global-flags.js';
import { keysOfSections, settingsIn } from './globals.js';
import { globalsOf } from './settings.js';
import { KEYS_OF_STORE, STORES } from './named-stores.js';
import { STORE_FLAG, STORE_KEY, storeSetting } from './store-setting.js';
import { urlIn } from './value-type.js';
import { errorText } from '../core/platform/failures/errors.js';
import { formatStoreUrl, parseStoreUrl } from '../core/store/store-url.js';
import { suggest } from '../core/platform/text/suggest.js';
import { commandsUnder, type Node } from './tree.js';

/** The section of a command: `restore.jobs.clean` for `restore jobs clean`. */
export const sectionOf = (command: Pick<Declaration, 'path'>): string => wordsOf(command.path).map(camel).join('.');

/** Keys that set this flag for this command; the first one wins. */
export function configKeysFor(command: Pick<Declaration, 'path' | 'globals'>, key: string): readonly string[] {
  const shared = Object.entries(keysOfSections(globalsOf(command))).flatMap(([section, keys]) =>
    keys.includes(key) ? [`${section}.${key}`] : [],
  );
  return [`${sectionOf(command)}.${key}`, ...shared, `defaults.${key}`];
}

export interface TreeKey extends ConfigKey {
  readonly flagKey: string;
  readonly flag: Flag;
  /** The command that the key belongs to; undefined for a key that many commands share. */
  readonly command: Declaration | undefined;
  /** True for a key of a store that the file names. */
  readonly isOfStore?: boolean;
}

export interface TreeSchema extends ConfigSchema<TreeKey> {
  /** Keys of each shared section; each of them is a flag of the same name. */
  readonly shared: Readonly<Record<string, readonly string[]>>;
}

function treeKey(section: string, flagKey: string, flag: Flag, command: Declaration | undefined): [string, TreeKey] {
  const path = [...section.split('.'), flagKey];
  const isMap = flag.kind === 'pairs';
  const isList = isMap || flag.kind === 'repeat' || flag.kind === 'csv';
  return [path.join('.'), { path, isMap, isList, flagKey, flag, command }];
}

/** The first declaration of every flag name in the tree: it describes the shared key. */
function flagsByName(globals: Flags, commands: readonly Declaration[]): Flags {
  const flags: Record<string, Flag> = { ...globals };
  for (const command of commands) {
    for (const [key, flag] of Object.entries(command.flags ?? {})) flags[key] ??= flag;
  }
  return flags;
}

/** Makes a shared key known even if no command has the flag: a file must not depend on the build. */
const anyText = (name: string): Flag => flag.text({ describe: `${kebab(name)} of the store` });

/** The keys that each store has below `stores`. */
function keysOfStores(flags: Flags): ReadonlyMap<string, TreeKey> {
  const names = [STORE_KEY, ...KEYS_OF_STORE];
  return new Map(
    names.map((name) => {
      const given = name === STORE_KEY ? urlOfStore : (flags[name] ?? anyText(name));
      const [, key] = treeKey(`${STORES}.NAME`, name, given, undefined);
      return [name, { ...key, isOfStore: true }];
    }),
  );
}

/** Where a store is; a name of another would be no place. */
const urlOfStore: Flag = {
  ...flag.text({ describe: 'where the store is', sample: 's3://my-bucket/archives' }),
  isFileOnly: true,
  parse([text = '']) {
    const parsed = urlIn('/').parse(text);
    return parsed.ok ? checkedUrl(parsed.value) : parsed;
  },
};

function checkedUrl(url: string): ReturnType<Flag['parse']> {
  try {
    return { ok: true, value: formatStoreUrl(parseStoreUrl(url)) };
  } catch (error) {
    return { ok: false, reason: `is no store: ${errorText(error)}` };
  }
}

function parentsOf(section: string): readonly string[] {
  const parts = section.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
}

/** Returns every key and section of the tree. */
export function configSchema(root: Node): TreeSchema {
  const commands = [...commandsUnder(root)].filter(({ ignoresConfigFile }) => ignoresConfigFile !== true);
  const { globals } = root;
  const settings = settingsIn(globals);
  const shared = keysOfSections(globals);
  const byName: Flags = { ...flagsByName(globals.flags, commands), ...settings, [STORE_KEY]: storeSetting() };
  const keys = new Map<string, TreeKey>();
  const isSetting = ([name]: readonly [string, Flag]): boolean =>
    name !== STORE_KEY && name !== STORE_FLAG && !(name in settings) && !globals.notInFile.includes(name);
  for (const [section, names] of Object.entries(shared)) {
    for (const name of names) keys.set(...treeKey(section, name, byName[name] ?? anyText(name), undefined));
  }
  for (const [name, flag] of Object.entries(byName).filter(isSetting))
    keys.set(...treeKey('defaults', name, flag, undefined));
  for (const command of commands) {
    for (const [name, flag] of Object.entries(allFlags(command)).filter(isSetting)) {
      keys.set(...treeKey(sectionOf(command), name, flag, command));
    }
  }
  const sections = new Set(['', 'defaults', STORES, ...Object.keys(shared)]);
  for (const command of commands) for (const section of parentsOf(sectionOf(command))) sections.add(section);
  return { keys, sections, named: new Map([[STORES, keysOfStores(byName)]]), suggest, shared };
}

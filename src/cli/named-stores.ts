// Stores by the names that the config file gives them, below `stores`: where each is, and what it takes to get at it.
import type { ConfigFile } from '../core/config/load-config.js';
import { usageError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { joinStoreUrl, storeUrlOf } from '../core/store/store-url.js';
import { joinWords } from './rule.js';
import type { ConfigLookup, ConfigValue, Resolved } from './layers.js';

/** Section of the config file. */
export const STORES = 'stores';

/** Keys of a store besides its URL: flags and settings that hold for it, whatever the other sections say. */
export const KEYS_OF_STORE = ['region', 'profile', 'endpointUrl', 'caBundle', 'provider', 'createOnce', 'storeMode'];

export interface NamedStore {
  readonly name: string;
  /** As the file writes it. */
  readonly place: string;
  /** Values of `KEYS_OF_STORE`. */
  readonly settings: ReadonlyMap<string, ConfigValue>;
}

export type NamedStores = ReadonlyMap<string, NamedStore>;

/** The config file as a layer of one command, with the stores that it names. */
export interface ConfigLayer extends ConfigLookup {
  readonly stores?: NamedStores;
}

/** Returns the stores that the file names; one without a URL is a problem of the file (`storeProblems`). */
export function storesIn({ path, settings }: Pick<ConfigFile, 'path' | 'settings'>): NamedStores {
  const found = new Map<string, NamedStore & { readonly settings: Map<string, ConfigValue> }>();
  const own = settings.filter(({ key }) => key.startsWith(`${STORES}.`));
  for (const { key, texts } of own) {
    const [, name = '', of] = key.split('.');
    if (of === 'url') found.set(name, { name, place: texts.at(-1) ?? '', settings: new Map() });
  }
  for (const { key, texts, line } of own) {
    const [, name = '', of = ''] = key.split('.');
    const where = `${key} in ${printable(path)} (line ${line})`;
    if (KEYS_OF_STORE.includes(of)) found.get(name)?.settings.set(of, { texts, where, line });
  }
  return found;
}

/** What the names of stores and relative paths mean. */
export interface Around {
  readonly stores: NamedStores;
  readonly cwd: string;
}

/** Values of flags and settings for a further store of the call, which is named or at this URL. */
export type SettingsAt = (text: string) => {
  /** What the config file says of this very store. */
  readonly own: Pick<Resolved, 'values'>;
  /** All values, without what the config file says of the store of the call. */
  readonly shared: Pick<Resolved, 'values' | 'origins'>;
};

/** What a word says of a store with a name: `nas:`, `nas:lab/2026`. */
export interface StoreWord {
  readonly store: NamedStore;
  /** The folder below it; empty for the store itself. */
  readonly below: string;
}

const WORD = /^([A-Za-z0-9][\w-]*):(?!\/\/)(.*)$/s;

/** Reads a word that names a store of the config file; undefined for any other: only a name that exists makes `a:b` a store. */
export function storeWord(text: string, stores: NamedStores): StoreWord | undefined {
  const [, name = '', below = ''] = WORD.exec(text) ?? [];
  const store = stores.get(name);
  return store && { store, below };
}

/** True for what can only be meant for the name of a store, and is none. */
export const isUnknownName = (text: string, stores: NamedStores): boolean => {
  const [, name] = WORD.exec(text) ?? [];
  return name !== undefined && !stores.has(name);
};

/** `the config file names the stores cloud and nas`. */
export const knownNames = (stores: NamedStores): string =>
  stores.size === 0
    ? 'the config file names no store (stores: NAME: url:)'
    : `the config file names ${stores.size === 1 ? 'the store' : 'the stores'} ${joinWords([...stores.keys()].sort(), 'and')}`;

/** Returns the URL of a place as people write it: `nas:lab`, a URL, or a path (`storeUrlOf`); undefined for anything else. @throws usage */
export function placeUrlOf(text: string, { stores, cwd }: Around): string | undefined {
  const word = storeWord(text, stores);
  return word === undefined ? storeUrlOf(text, cwd) : joinStoreUrl(urlOfNamed(word.store, cwd), word.below);
}

function urlOfNamed({ name, place }: NamedStore, cwd: string): string {
  const url = storeUrlOf(place, cwd);
  if (url !== undefined) return joinStoreUrl(url);
  throw usageError(`${STORES}.${name}.url is no store URL and no path`, 'archiver config --validate');
}

/**
 * Returns the store of the config file whose settings hold at a URL: the one that was named, or else the one whose URL it is at or below, so
 * that a URL that archiver prints means the same as the name. Of several with the longest such URL none is meant. @throws usage
 */
export function storeAt(typed: string | undefined, url: string, { stores, cwd }: Around): NamedStore | undefined {
  const word = typed === undefined ? undefined : storeWord(typed, stores);
  if (word !== undefined) return word.store;
  const place = joinStoreUrl(url);
  const around = [...stores.values()]
    .map((store) => ({ store, url: urlOfNamed(store, cwd) }))
    .filter((one) => place === one.url || place.startsWith(`${one.url}/`));
  const longest = Math.max(0, ...around.map((one) => one.url.length));
  const [first, ...others] = around.filter((one) => one.url.length === longest);
  return others.length === 0 ? first?.store : undefined;
}

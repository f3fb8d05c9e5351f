// Whether the last of several texts is the store, where that comes after an argument that takes any number of texts.
import { usageError } from '../core/platform/failures/errors.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { shellWord } from '../core/platform/text/shell-word.js';
import { storeUrlOf } from '../core/store/store-url.js';
import type { Args } from './arg.js';
import type { Command } from './command.js';
import type { NamedStores } from './named-stores.js';
import { isStoreWord, STORE_FLAG } from './store-setting.js';
import type { Tokens } from './tokenize.js';

/** A store that a variable or the config file names. */
export interface LowerStore {
  readonly url: string;
  /** The variable, or the place in the file. */
  readonly source: string;
}

const takesMany = (declared: Args): boolean => {
  const many = declared.findIndex((arg) => arg.many);
  return many >= 0 && declared[many + 1]?.store !== undefined;
};

/**
 * Tells whether the last text is the store: if it is a URL or a name, or if no other store is named. `lower` is called if that matters. @throws
 * usage for a path that may be a source or a store
 */
export function isStoreLast(
  { path, args: declared = [] }: Pick<Command, 'path' | 'args'>,
  { args, texts }: Tokens,
  { stores, lower }: { readonly stores: NamedStores; readonly lower: () => LowerStore | undefined },
): boolean {
  const last = args.at(-1);
  if (!takesMany(declared) || last === undefined) return false;
  if (isStoreWord(last, stores)) return true;
  if (args.length === 1 || [STORE_FLAG, 'bucket'].some((key) => (texts[key] ?? []).length > 0)) return false;
  const other = lower();
  if (other === undefined) return true;
  if (storeUrlOf(last, '/') === undefined) return false;
  const call = ['archiver', path, ...args.slice(0, -1).map(shellWord)].join(' ');
  throw usageError(
    `"${printable(last)}" may be a source, or the store instead of ${printable(other.url)} (${other.source})`,
    `${call} ${shellWord(last)} ${shellWord(other.url)} takes it for a source, and ${call} --store ${shellWord(last)} for the store`,
  );
}

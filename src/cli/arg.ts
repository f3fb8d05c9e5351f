// Positional arguments as data: named as help shows them (`SOURCE_DIR`), typed like flags.
import {
  choiceType,
  fileType,
  folderOrStreamType,
  folderType,
  type Names,
  textType,
  urlIn,
  type ValueType,
} from './value-type.js';

export interface Arg<T = unknown> {
  /** Name in help: `SOURCE_DIR`. */
  readonly name: string;
  readonly describe: string;
  readonly type: ValueType<unknown>;
  readonly optional: boolean;
  /** Flags of which any can replace the argument: it or one of them is needed. For a store it is --bucket, unless another is named. */
  readonly orFlags: readonly string[];
  /** Takes all remaining texts: the last argument, or the one before the store. */
  readonly many: boolean;
  /** Set for the store that the command works on; a `default` one may also come from lower layers (store-setting.ts). */
  readonly store: 'default' | 'typed' | undefined;
  /** Pattern of its texts, where they may be store URLs: a text that does not match is misplaced if that of the store does. */
  readonly looksLike: RegExp | undefined;
  /** A bare word (`data`) is a folder, too, for a command that also takes folders that are no stores. */
  readonly takesFolders: boolean;
  /** Never present: carries the type that `run` gets. */
  readonly value?: T;
}

interface Options {
  readonly describe: string;
  readonly optional?: true;
  /** Makes the argument optional when this flag, or any of these, is given. */
  readonly orFlag?: string | readonly string[];
  readonly many?: true;
  readonly looksLike?: RegExp;
  /** What it names, for completion; a store if it is one. */
  readonly names?: Names;
  readonly takesFolders?: true;
}
type Out<T, O> = O extends { many: true }
  ? readonly T[]
  : O extends { optional: true } | { orFlag: string | readonly string[] }
    ? T | undefined
    : T;

const positional =
  <T>(type: ValueType<T>, store?: Arg['store']) =>
  <const O extends Options>(name: string, options: O): Arg<Out<T, O>> => ({
    name,
    describe: options.describe,
    type: { ...type, names: options.names ?? (store && 'store') },
    optional: options.optional ?? (options.orFlag ?? store) !== undefined,
    orFlags: [options.orFlag ?? (store === undefined || options.optional ? [] : 'bucket')].flat(),
    many: options.many ?? false,
    store,
    looksLike: options.looksLike,
    takesFolders: options.takesFolders ?? false,
  });

/** Constructors of every kind of argument. */
export const arg = {
  text: positional(textType),
  file: positional(fileType),
  folder: positional(folderType),
  folderOrStream: positional(folderOrStreamType),
  /** The store, which a variable or the config file may also name. */
  url: positional(urlIn('/'), 'default'),
  /** The store, which only the command line may name. */
  typedUrl: positional(urlIn('/'), 'typed'),
  choice: <const C extends readonly [string, ...string[]]>(...choices: C) => positional(choiceType(choices)),
};

export type Args = readonly Arg[];
export type ArgValues<A extends Args> = { readonly [K in keyof A]: A[K] extends Arg<infer T> ? T : never };

/** `SOURCE_DIR`, `[OUTPUT_DIR]`, `SOURCE_DIR...`. */
export function argUsage({ name, optional, many }: Arg): string {
  const shown = many ? `${name}...` : name;
  return optional ? `[${shown}]` : shown;
}

// Positional arguments as data: named as help shows them (`SOURCE_DIR`), typed like flags.
import { choiceType, fileType, folderType, textType, urlIn, type ValueType } from './value-type.js';

export interface Arg<T = unknown> {
  /** As help shows it: `SOURCE_DIR`. */
  readonly name: string;
  readonly describe: string;
  readonly type: ValueType<unknown>;
  readonly optional: boolean;
  /** A flag that says the same: one of the two is needed. Of a store that is --bucket, unless another is named. */
  readonly orFlag: string | undefined;
  /** Takes all that remain: the last argument, or the one before the store. */
  readonly many: boolean;
  /** The store that the command works on; a `default` one comes from lower layers where none is typed (store-setting.ts). */
  readonly store: 'default' | 'typed' | undefined;
  /** What its texts look like, where they may be store URLs: one that does not is misplaced if that of the store does. */
  readonly looksLike: RegExp | undefined;
  /** Never present: carries the type that `run` gets. */
  readonly value?: T;
}

interface Options {
  readonly describe: string;
  readonly optional?: true;
  /** Optional where this flag is given. */
  readonly orFlag?: string;
  readonly many?: true;
  readonly looksLike?: RegExp;
}
type Out<T, O> = O extends { many: true }
  ? readonly T[]
  : O extends { optional: true } | { orFlag: string }
    ? T | undefined
    : T;

const positional =
  <T>(type: ValueType<T>, store?: Arg['store']) =>
  <const O extends Options>(name: string, options: O): Arg<Out<T, O>> => ({
    name,
    describe: options.describe,
    type,
    optional: options.optional ?? (options.orFlag ?? store) !== undefined,
    orFlag: options.orFlag ?? (store === undefined || options.optional ? undefined : 'bucket'),
    many: options.many ?? false,
    store,
    looksLike: options.looksLike,
  });

/** Constructors of every kind of argument. */
export const arg = {
  text: positional(textType),
  file: positional(fileType),
  folder: positional(folderType),
  /** The store, which a variable or the config file may name as well. */
  url: positional(urlIn('/'), 'default'),
  /** The store, where nothing but what is typed may name it. */
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

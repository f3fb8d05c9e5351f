// Flags as data. A flag knows its type, the meaning of its texts and its help text, but nothing of argv, the environment or files. `T` is
// the type of the value that `run` gets.
import {
  ageType,
  bytesType,
  choiceType,
  durationType,
  fileOrStreamType,
  fileType,
  floatType,
  folderType,
  intType,
  modeType,
  partType,
  percentType,
  rateType,
  switchType,
  textType,
  usdType,
  type Names,
  type Parsed,
  type ValueType,
} from './value-type.js';

/**
 * How texts become the value: `switch` and `single` take one, `repeat` one per occurrence, `csv` splits every occurrence at commas, `pairs`
 * reads every occurrence as key=value.
 */
export type FlagKind = 'switch' | 'single' | 'repeat' | 'csv' | 'pairs';

export interface Flag<T = unknown> {
  readonly kind: FlagKind;
  readonly type: Omit<ValueType<unknown>, 'parse'>;
  readonly describe: string;
  /** Help text of `--no-name`, where that is shown. */
  readonly off: string | undefined;
  readonly short: string | undefined;
  /** Another name for the same flag, camelCase. */
  readonly alias: string | undefined;
  /** Name in messages, for a setting that is not typed as a flag. */
  readonly label?: string;
  /** Name of the value in help: `--region NAME`. */
  readonly placeholder: string | undefined;
  readonly required: boolean;
  /** The value is never printed. */
  readonly secret: boolean;
  /** `--prefix=` (an empty value) is a value. */
  readonly allowsEmpty: boolean;
  /** The default as a user would type it. */
  readonly defaultText: string | undefined;
  /** Whether the flag works everywhere, or only with a store in S3 (idle-flags.ts). */
  readonly only: 's3' | undefined;
  /** True if it names the place that the command works on. */
  readonly isPlace?: boolean;
  /** True if its text may name a store of the config file (`nas:`). */
  readonly mayBeStore?: boolean;
  /** True if its texts are further stores, each with an access of its own: URLs, paths, names of the config file. */
  readonly namesStores?: boolean;
  /** True if no variable sets it. */
  readonly isFileOnly?: boolean;
  /** Name of the feature that the flag is for: a program without that feature has no such flag. */
  readonly feature?: string;
  parse(texts: readonly string[]): Parsed<T>;
}

interface Common {
  readonly describe: string;
  readonly short?: string;
  readonly alias?: string;
  readonly placeholder?: string;
  /** A better example than that of the type. */
  readonly sample?: string;
  readonly secret?: boolean;
  readonly allowEmpty?: boolean;
  readonly only?: 's3';
  /** What the value names, for completion. */
  readonly names?: Names;
}
type ValueOptions = Common & { readonly default?: string | number; readonly required?: true };
type Out<T, O> = O extends { default: string | number } | { required: true } ? T : T | undefined;

function parts(kind: FlagKind, type: ValueType<unknown>, o: ValueOptions): Omit<Flag, 'parse'> {
  return {
    kind,
    type: { ...type, ...(o.sample !== undefined && { sample: o.sample }), ...(o.names && { names: o.names }) },
    describe: o.describe,
    off: undefined,
    short: o.short,
    alias: o.alias,
    placeholder: o.placeholder,
    required: o.required ?? false,
    secret: o.secret ?? false,
    allowsEmpty: o.allowEmpty ?? false,
    defaultText: o.default === undefined ? undefined : String(o.default),
    only: o.only,
  };
}

const single = <T, const O extends ValueOptions>(type: ValueType<T>, options: O): Flag<Out<T, O>> => ({
  ...parts('single', type, options),
  // T is a part of Out<T, O> whatever O is, but the compiler cannot see that while O is open.
  parse: (texts) => type.parse(texts.at(-1) ?? ''),
});

const singleOf =
  <T>(type: ValueType<T>) =>
  <const O extends ValueOptions>(options: O) =>
    single(type, options);

function parseEach<T>(type: ValueType<T>, texts: readonly string[]): Parsed<readonly T[]> {
  const values: T[] = [];
  for (const text of texts) {
    const parsed = type.parse(text);
    if (!parsed.ok) return parsed;
    values.push(parsed.value);
  }
  return { ok: true, value: values };
}

const splitAtCommas = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.split(',').map((part) => part.trim())).filter((part) => part !== '');

type ListOptions = Common & { readonly default?: string; readonly required?: true };

const csv = <T>(type: ValueType<T>, options: ListOptions): Flag<readonly T[]> => ({
  ...parts('csv', { ...type, label: `${type.label},…` }, options),
  parse(texts) {
    const parts = splitAtCommas(texts);
    return parts.length === 0 && texts.length > 0 ? { ok: false, reason: 'names nothing' } : parseEach(type, parts);
  },
});

/** Parses texts that were given; unlike a default, an empty one is a value only where the flag allows it. */
export function parseGiven(flag: Flag, texts: readonly string[]): Parsed<unknown> {
  if (texts.includes('') && !flag.allowsEmpty) return { ok: false, reason: 'must not be empty' };
  return flag.parse(texts);
}

const pairType: ValueType<string> = { ...textType, label: 'key=value', sample: 'key=value' };

function parsePairs(texts: readonly string[]): Parsed<Readonly<Record<string, string>>> {
  const entries: [string, string][] = [];
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) return { ok: false, reason: 'wants key=value' };
    const key = text.slice(0, at);
    if (entries.some(([known]) => known === key)) return { ok: false, reason: `names the key ${key} twice` };
    entries.push([key, text.slice(at + 1)]);
  }
  return { ok: true, value: Object.fromEntries(entries) };
}

/** The smallest and the largest number; either may be open. */
type Range = readonly [min?: number, max?: number];

/** Constructors of every kind of flag. */
export const flag = {
  text: singleOf(textType),
  file: singleOf(fileType),
  fileOrStream: singleOf(fileOrStreamType),
  folder: singleOf(folderType),
  /** Permission bits. */
  mode: singleOf(modeType),
  duration: singleOf(durationType),
  age: singleOf(ageType),
  part: singleOf(partType),
  percent: singleOf(percentType),
  /** `also` lists values outside the range that are allowed, such as 0 for automatic. */
  int: <const O extends ValueOptions>(range: readonly [...Range, also?: readonly number[]], options: O) =>
    single(intType(...range), options),
  float: <const O extends ValueOptions>(range: Range, options: O) => single(floatType(...range), options),
  usd: singleOf(usdType()),
  /** Bytes per second. */
  rate: singleOf(rateType()),
  bytes: <const O extends ValueOptions>(minBytes: number, options: O) => single(bytesType(minBytes), options),
  choice: <const C extends readonly [string, ...string[]], const O extends ValueOptions>(choices: C, options: O) =>
    single(choiceType(choices), options),
  list: (options: ListOptions) => csv(textType, options),
  ints: (range: Range, options: ListOptions) => csv(intType(...range), options),
  /** Any number of occurrences; the empty list when there is none. */
  repeat: (options: Common & { readonly required?: true }): Flag<readonly string[]> => ({
    ...parts('repeat', textType, options),
    parse: (texts) => ({ ok: true, value: texts }),
  }),
  pairs: (options: Common & { readonly required?: true }): Flag<Readonly<Record<string, string>>> => ({
    ...parts('pairs', pairType, options),
    parse: parsePairs,
  }),
  /** A switch. With `default: true` help shows its negative, `--no-name`, and `off` says what that does. */
  on: ({
    default: on = false,
    off,
    ...options
  }: Common &
    ({ readonly default: true; readonly off: string } | { readonly default?: false; readonly off?: never })) => ({
    ...parts('switch', switchType, { ...options, default: String(on) }),
    off,
    parse: (texts: readonly string[]): Parsed<boolean> => switchType.parse(texts.at(-1) ?? ''),
  }),
};

export type Flags = Readonly<Record<string, Flag>>;

/** Marks flags as those of a feature: a program without it does not have them. */
export const ofFeature = <const F extends Flags>(feature: string, flags: F): F =>
  // The result has the same keys and flag types.
  Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, { ...flag, feature }])) as F;

export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** `kmsKeyId` as typed on the command line: `kms-key-id`. */
export const kebab = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `access-check` as a key: `accessCheck`. */
export const camel = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

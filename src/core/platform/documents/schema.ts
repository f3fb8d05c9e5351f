// Schemas of JSON documents: types of values, each with the words that an error says after "is not". A schema is built when it is first
// used, so that a command pays only for the documents that it reads (docs/decisions/062).
import * as z from 'zod/mini';

type Type<T = unknown> = z.ZodMiniType<T>;

/** A schema that reads documents as `T`. */
export type Schema<T> = () => Type<T>;

/** The type that a schema reads documents as. */
export type Read<S extends Schema<unknown>> = S extends Schema<infer T> ? T : never;

type Immutable<T> = unknown extends T
  ? T
  : T extends Plain
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Immutable<Item>[]
      : { readonly [Key in keyof T]: Immutable<T[Key]> };
type Plain = string | number | boolean | null | undefined | Date | Uint8Array | ReadonlyMap<unknown, unknown>;

/** A schema that is built at most once, when it is asked for. */
export function schema<T extends Type>(build: () => T): Schema<Immutable<z.output<T>>> {
  let built: T | undefined;
  return () => (built ??= build()) as Type<Immutable<z.output<T>>>;
}

// Most values are already what their schema would return. A schema with a test finds that out without the library, which takes some 100 ns
// for each key and copies all of it; a value that fails the test is parsed by the schema, which reports the error.
type Test = (one: unknown) => boolean;
const tests = new WeakMap<Type, Test>();
/** Keys that may be missing. */
const missable = new WeakSet<object>();

/** True when a value is already what its schema would return; false also when that is unknown. */
export const isPlain = <T>(type: Type<T>, one: unknown): one is T => tests.get(type)?.(one) === true;

function tested<T extends Type>(type: T, test: Test | undefined): T {
  if (test !== undefined) tests.set(type, test);
  return type;
}

function missing<T extends Type>(type: T, test: Test | undefined): T {
  missable.add(type);
  return tested(type, test);
}

export const text = tested(z.string('a text'), (one) => typeof one === 'string');
export const flag = tested(z.boolean('true or false'), (one) => typeof one === 'boolean');

/**
 * A type for values that pass `isOne`: a single part of the library's, while a text with a check is three, which take 25 µs each to build.
 */
const that = <T>(isOne: (one: unknown) => boolean, error: (one: unknown) => string): Type<T> =>
  tested(z.custom<T>(isOne, { error: ({ input }) => error(input), abort: true }), isOne);

/** A text that passes `isOne`; `words` describe it in errors. */
export const textThat = (isOne: (text: string) => boolean, words: string): Type<string> =>
  that(
    (one) => typeof one === 'string' && isOne(one),
    (one) => (typeof one === 'string' ? words : 'a text'),
  );
/** Like `textThat`, for texts with a type of their own. */
export const textOf = <T extends string>(isOne: (text: string) => text is T, words: string): Type<T> =>
  textThat(isOne, words) as Type<T>;

export const matching = (pattern: RegExp, words: string): Type<string> => textThat((one) => pattern.test(one), words);

/** A text of at most `most` characters. */
export const textUpTo = (most: number): Type<string> =>
  textThat((one) => one.length <= most, `a text of at most ${most} characters`);

export const sha256 = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/** A text that `parse` converts; it returns undefined for a text that is not as `words` say. */
export const parsed = <T>(parse: (text: string) => T | undefined, words: string): Type<T> =>
  z.pipe(
    text,
    z.transform((one: string, { issues }) => {
      const made = parse(one);
      if (made === undefined) issues.push({ code: 'custom', message: words, input: one });
      return made as T;
    }),
  );

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const isTime = (one: string): boolean => !Number.isNaN(Date.parse(one));
export const time = textThat(isTime, 'a time');
/** ISO 8601 in UTC. */
export const moment = textThat((one) => MOMENT.test(one) && isTime(one), 'a time in UTC');
/** `YYYY-MM-DD`. */
export const day = matching(/^\d{4}-\d{2}-\d{2}$/, 'a day');

/** A time as a date. */
export const date = z.pipe(
  time,
  z.transform((one: string) => new Date(one)),
);

/** Base64 as its bytes. */
export const base64 = z.pipe(
  text,
  z.transform((one: string) => Buffer.from(one, 'base64')),
);

export const literal = <const V extends string | number>(value: V): z.ZodMiniLiteral<V> =>
  tested(z.literal(value, String(value)), (one) => one === value);

export const oneOf = <const W extends readonly string[]>(words: W): z.ZodMiniEnum<z.core.util.ToEnum<W[number]>> =>
  tested(z.enum(words, `one of ${words.join(', ')}`), (one) => (words as readonly unknown[]).includes(one));

/** A number that passes `isOne`. */
export const numberThat = (isOne: (one: number) => boolean, words: string): z.ZodMiniNumber =>
  tested(z.number(words).check(z.refine(isOne, words)), (one) => isNumber(one) && isOne(one));

const isNumber = (one: unknown): one is number => Number.isFinite(one);
export const number = tested(z.number('a number'), isNumber);

/** A whole number, also below 0. */
export const whole = tested(z.int('a whole number'), Number.isSafeInteger);

/** A whole number from 0 to `max`. */
export const countTo = (max: number): Type<number> =>
  that(
    (one) => Number.isSafeInteger(one) && (one as number) >= 0 && (one as number) <= max,
    () => `a whole number from 0 to ${max}`,
  );
export const count = countTo(Number.MAX_SAFE_INTEGER);

const AMOUNT = 'a number from 0 on';
export const amount = tested(z.number(AMOUNT).check(z.minimum(0, AMOUNT)), (one) => isNumber(one) && one >= 0);
const FRACTION = 'a number from 0 to 1';
export const fraction = tested(
  z.number(FRACTION).check(z.minimum(0, FRACTION), z.maximum(1, FRACTION)),
  (one) => isNumber(one) && one >= 0 && one <= 1,
);

/** A list of `least` to `most` items. */
export function listOf<T extends Type>(
  item: T,
  { least = 0, most = Number.POSITIVE_INFINITY }: { readonly least?: number; readonly most?: number } = {},
): z.ZodMiniArray<T> {
  const list = z.array(item, 'a list');
  const isBounded = least > 0 || most < Number.POSITIVE_INFINITY;
  return tested(
    isBounded ? list.check(z.minLength(least), z.maxLength(most)) : list,
    (one) =>
      Array.isArray(one) && one.length >= least && one.length <= most && one.every((each) => isPlain(item, each)),
  );
}

/** A list that may have millions of items: those that need no conversion are not copied. */
export function listOfMany<T extends Type>(item: T): Type<readonly z.output<T>[]> {
  const isGood = (one: unknown): one is z.output<T> => isPlain(item, one);
  const list = z.pipe(
    z.custom<readonly unknown[]>(Array.isArray, 'a list'),
    z.transform((items, { issues }) => {
      if (items.every(isGood)) return items;
      const read: z.output<T>[] = [];
      for (const [at, one] of items.entries()) {
        const { data, error } = isGood(one) ? { data: one } : item.safeParse(one);
        for (const { message, path } of error?.issues ?? [])
          issues.push({ code: 'custom', message, path: [at, ...path], input: items });
        if (error !== undefined) break;
        read.push(data);
      }
      return read;
    }),
  );
  return tested(list, (one) => Array.isArray(one) && one.every(isGood));
}

const OBJECT = 'an object';
type Keys = Readonly<Record<string, unknown>>;
const isObject = (one: unknown): one is Keys => typeof one === 'object' && one !== null && !Array.isArray(one);

/** An object; keys that are not in the shape are dropped. */
export const object = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> =>
  tested(z.object(shape, OBJECT), testOf(shape));

/** A test for objects: true when all required keys are present, no others than those of the shape, and each passes its own test. */
function testOf(shape: z.core.$ZodShape): Test | undefined {
  const keys = new Map(Object.entries(shape).map(([key, type]) => [key, tests.get(type as Type)]));
  if ([...keys.values()].includes(undefined)) return undefined;
  const least = Object.values(shape).filter((type) => !missable.has(type)).length;
  return (one) => {
    if (!isObject(one)) return false;
    let found = 0;
    for (const key in one) {
      if (keys.get(key)?.(one[key]) !== true) return false;
      if (!missable.has(shape[key] ?? keys)) found++;
    }
    return found === least;
  };
}

/** An object whose other keys are kept, for documents that are written back. */
export const openObject = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> => z.looseObject(shape, OBJECT);

/** An object whose other keys are refused. */
export const strictObject = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S, z.core.$strict> =>
  z.strictObject(shape, OBJECT);

/** One of several types. */
export const anyOf = <const T extends readonly Type[]>(kinds: T, words: string): z.ZodMiniUnion<T> =>
  z.union(kinds, words);

/** An object with any keys and with values of type `item`. */
export const recordOf = <T extends Type>(item: T): Type<Record<string, z.output<T>>> =>
  z.record(z.string(), item, OBJECT);

/** Any object, unchanged. */
export const anyObject = tested(z.custom<Keys>(isObject, OBJECT), isObject);

/** The texts in an object; other values are dropped. */
export const texts = z.pipe(
  anyObject,
  z.transform((one) =>
    Object.fromEntries(Object.entries(one).filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  ),
);

/** An object whose keys are of type `key`, as a map; `__proto__` is a key like any other. */
export const mapOf = <T extends Type>(item: T, key: Type<string> = text): Type<ReadonlyMap<string, z.output<T>>> =>
  z.pipe(
    anyObject,
    z.transform((source, { issues }): ReadonlyMap<string, z.output<T>> => {
      const pairs = Object.entries(source).map(([name, value]): [string, z.output<T>] => {
        const { data, error } = item.safeParse(value);
        for (const { message, path } of key.safeParse(name).error?.issues ?? error?.issues ?? [])
          issues.push({ code: 'custom', message, path: [name, ...path], input: source });
        return [name, data as z.output<T>];
      });
      return new Map(pairs);
    }),
  );

/** A key that may be missing. */
export function optional<T extends Type>(value: T): z.ZodMiniOptional<T> {
  const test = tests.get(value);
  return missing(z.optional(value), test && ((one) => one === undefined || test(one)));
}

/** A key that may be missing, and is never undefined. */
export const exactOptional = <T extends Type>(value: T): z.ZodMiniExactOptional<T> =>
  missing(z.exactOptional(value), tests.get(value));

/** The value, or null. */
export function nullable<T extends Type>(value: T): z.ZodMiniNullable<T> {
  const test = tests.get(value);
  return tested(z.nullable(value), test && ((one) => one === null || test(one)));
}

/** The value, or `other` when the key is missing or null. */
export function orElse<T extends Type, E>(value: T, other: E): Type<z.output<T> | E> {
  const test = tests.get(value);
  const made = z.pipe(
    z.nullish(value),
    z.transform((one) => one ?? other),
  );
  return tested(made, test && ((one) => test(one) || (one === null && other === null)));
}
export const orNull = <T extends Type>(value: T): Type<z.output<T> | null> => orElse(value, null);
/** The value; undefined when the key is missing or null. */
export const orMissing = <T extends Type>(value: T): z.ZodMiniExactOptional<Type<z.output<T>>> =>
  exactOptional(
    tested(
      z.pipe(
        z.nullable(value),
        z.transform((one) => one ?? undefined),
      ) as Type<z.output<T>>,
      tests.get(value),
    ),
  );

/** Converts a value with `make` before it is parsed. */
export const preprocess = <T extends Type>(make: (value: unknown) => unknown, schema: T): Type<z.output<T>> =>
  z.pipe(z.transform(make), schema);

/** Converts a parsed value with `turn`. */
export const transform = <T extends Type, R>(value: T, turn: (read: z.output<T>) => R): Type<R> =>
  z.pipe(value, z.transform(turn));

/** The key of an object that does not fit the others, and a description of what it should be. */
export type Misfit = readonly [key: string, words: string] | undefined;

/** An object whose keys must fit one another; `misfitOf` returns the first that does not. */
export function fitting<T extends Type>(value: T, misfitOf: (read: z.output<T>) => Misfit): T {
  const test = tests.get(value);
  const checked = value.check((payload) => {
    const [key, message] = misfitOf(payload.value) ?? [];
    if (key !== undefined) payload.issues.push({ code: 'custom', message, path: [key], input: payload.value });
  });
  return tested(checked, test && ((one) => test(one) && misfitOf(one as z.output<T>) === undefined));
}

export const anything = z.unknown();

/** A value that is accepted unchecked, because a checksum shows that this program wrote it. */
export const unchecked = <T>(): Type<T> => z.custom<T>();

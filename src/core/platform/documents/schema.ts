// Schemas of JSON documents: the forms of values, each with the words that an error says after "is not". A schema is built when it
// is first used, so that a command pays for those documents alone that it reads (docs/decisions/062).
import * as z from 'zod/mini';

type Type<T = unknown> = z.ZodMiniType<T>;

/** What documents are read by; each is a `T` then. */
export type Schema<T> = () => Type<T>;

/** What a document of this schema is read as. */
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

// Most values are what their schema would make of them. A schema that has a test knows so without the library, which takes some
// 100 ns for each key and copies all of it; what does not pass is read by the schema then, which says what is wrong.
type Test = (one: unknown) => boolean;
const tests = new WeakMap<Type, Test>();
/** Keys that may be missing. */
const missable = new WeakSet<object>();

/** Whether a value is already what would be made of it; false also where that cannot be told. */
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

/** What this is true of: one part of the library's, where a text with a check is three, and 25 µs each to build. */
const that = <T>(isOne: (one: unknown) => boolean, error: (one: unknown) => string): Type<T> =>
  tested(z.custom<T>(isOne, { error: ({ input }) => error(input), abort: true }), isOne);

/** A text that this is true of; `words` say what it is then. */
export const textThat = (isOne: (text: string) => boolean, words: string): Type<string> =>
  that(
    (one) => typeof one === 'string' && isOne(one),
    (one) => (typeof one === 'string' ? words : 'a text'),
  );
/** The same for texts with a type of their own. */
export const textOf = <T extends string>(isOne: (text: string) => text is T, words: string): Type<T> =>
  textThat(isOne, words) as Type<T>;

export const matching = (pattern: RegExp, words: string): Type<string> => textThat((one) => pattern.test(one), words);

/** So many characters at most. */
export const textUpTo = (most: number): Type<string> =>
  textThat((one) => one.length <= most, `a text of at most ${most} characters`);

export const sha256 = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/** What `parse` makes of a text; undefined: it is not what `words` say. */
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

export const exactly = <const V extends string | number>(value: V): z.ZodMiniLiteral<V> =>
  tested(z.literal(value, String(value)), (one) => one === value);

export const oneOf = <const W extends readonly string[]>(words: W): z.ZodMiniEnum<z.core.util.ToEnum<W[number]>> =>
  tested(z.enum(words, `one of ${words.join(', ')}`), (one) => (words as readonly unknown[]).includes(one));

/** A number that this is true of. */
export const numberThat = (isOne: (one: number) => boolean, words: string): z.ZodMiniNumber =>
  z.number(words).check(z.refine(isOne, words));

export const number = z.number('a number');

/** A whole number, also below 0. */
export const whole = z.int('a whole number');

/** A whole number from 0 to `max`. */
export const countTo = (max: number): Type<number> =>
  that(
    (one) => Number.isSafeInteger(one) && (one as number) >= 0 && (one as number) <= max,
    () => `a whole number from 0 to ${max}`,
  );
export const count = countTo(Number.MAX_SAFE_INTEGER);

const AMOUNT = 'a number from 0 on';
export const amount = z.number(AMOUNT).check(z.minimum(0, AMOUNT));
const FRACTION = 'a number from 0 to 1';
export const fraction = z.number(FRACTION).check(z.minimum(0, FRACTION), z.maximum(1, FRACTION));

/** So many of them. */
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

/** A list of items that may come in millions: those that are plain are kept as they are, and not copied. */
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

/** Keys that are not in the shape are left out. */
export const object = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> =>
  tested(z.object(shape, OBJECT), testOf(shape));

/** Every key that has to be there, none but those of the shape, and each as it should be. */
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

/** Keys that are not in the shape are kept, for documents that are written back. */
export const openObject = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> => z.looseObject(shape, OBJECT);

/** Keys that are not in the shape are refused. */
export const closedObject = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S, z.core.$strict> =>
  z.strictObject(shape, OBJECT);

/** One of several. */
export const anyOf = <const T extends readonly Type[]>(kinds: T, words: string): z.ZodMiniUnion<T> =>
  z.union(kinds, words);

/** An object of any keys, with values that are like this. */
export const recordOf = <T extends Type>(item: T): Type<Record<string, z.output<T>>> =>
  z.record(z.string(), item, OBJECT);

/** Any object, as it is. */
export const anyObject = tested(z.custom<Keys>(isObject, OBJECT), isObject);

/** The texts in an object; what is none is left out. */
export const texts = z.pipe(
  anyObject,
  z.transform((one) =>
    Object.fromEntries(Object.entries(one).filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
  ),
);

/** An object with keys that are like `key`; `__proto__` is one like any other. */
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

/** This, or null. */
export function nullable<T extends Type>(value: T): z.ZodMiniNullable<T> {
  const test = tests.get(value);
  return tested(z.nullable(value), test && ((one) => one === null || test(one)));
}

/** This where the key is missing or null. */
export const orElse = <T extends Type, E>(value: T, other: E): Type<z.output<T> | E> =>
  tested(
    z.pipe(
      z.nullish(value),
      z.transform((one) => one ?? other),
    ),
    tests.get(value),
  );
export const orNull = <T extends Type>(value: T): Type<z.output<T> | null> => orElse(value, null);
/** None where the key is missing or null. */
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

/** What this makes of a value, by the schema. */
export const made = <T extends Type>(make: (value: unknown) => unknown, schema: T): Type<z.output<T>> =>
  z.pipe(z.transform(make), schema);

/** What `turn` makes of what was read. */
export const turned = <T extends Type, R>(value: T, turn: (read: z.output<T>) => R): Type<R> =>
  z.pipe(value, z.transform(turn));

/** The key of an object that does not fit the others, and what it is not. */
export type Misfit = readonly [key: string, words: string] | undefined;

/** An object whose keys fit one another; `misfitOf` gives the first that does not. */
export function fitting<T extends Type>(value: T, misfitOf: (read: z.output<T>) => Misfit): T {
  const test = tests.get(value);
  const checked = value.check((payload) => {
    const [key, message] = misfitOf(payload.value) ?? [];
    if (key !== undefined) payload.issues.push({ code: 'custom', message, path: [key], input: payload.value });
  });
  return tested(checked, test && ((one) => test(one) && misfitOf(one as z.output<T>) === undefined));
}

export const anything = z.unknown();

/** What is taken as it is, because a checksum shows that this program wrote it. */
export const asWritten = <T>(): Type<T> => z.custom<T>();

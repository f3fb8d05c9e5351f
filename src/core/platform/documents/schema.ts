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

export const text = z.string('a text');
export const flag = z.boolean('true or false');

/** A text that this is true of; `words` say what it is then. */
export const textThat = (isOne: (text: string) => boolean, words: string): z.ZodMiniString =>
  z.string('a text').check(z.refine(isOne, words));
/** The same for texts with a type of their own. */
export const textOf = <T extends string>(isOne: (text: string) => text is T, words: string): Type<T> =>
  textThat(isOne, words) as unknown as Type<T>;

export const matching = (pattern: RegExp, words: string): z.ZodMiniString =>
  textThat((one) => pattern.test(one), words);

export const sha256 = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

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
  z.literal(value, String(value));

export const oneOf = <const W extends readonly string[]>(words: W): z.ZodMiniEnum<z.core.util.ToEnum<W[number]>> =>
  z.enum(words, `one of ${words.join(', ')}`);

/** A number that this is true of. */
export const numberThat = (isOne: (one: number) => boolean, words: string): z.ZodMiniNumber =>
  z.number(words).check(z.refine(isOne, words));

export const number = z.number('a number');

/** A whole number, also below 0. */
export const whole = z.int('a whole number');

/** A whole number from 0 to `max`. */
export function countTo(max: number): z.ZodMiniNumberFormat {
  const words = `a whole number from 0 to ${max}`;
  return z.int(words).check(z.minimum(0, words), z.maximum(max, words));
}
export const count = countTo(Number.MAX_SAFE_INTEGER);

const AMOUNT = 'a number from 0 on';
export const amount = z.number(AMOUNT).check(z.minimum(0, AMOUNT));
const FRACTION = 'a number from 0 to 1';
export const fraction = z.number(FRACTION).check(z.minimum(0, FRACTION), z.maximum(1, FRACTION));

/** So many of them. */
export const listOf = <T extends Type>(
  item: T,
  { least = 0, most = Number.POSITIVE_INFINITY }: { readonly least?: number; readonly most?: number } = {},
): z.ZodMiniArray<T> => z.array(item, 'a list').check(z.minLength(least), z.maxLength(most));

const OBJECT = 'an object';

/** Keys that are not in the shape are left out. */
export const object = <S extends z.core.$ZodShape>(shape: S): z.ZodMiniObject<S> => z.object(shape, OBJECT);

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

/** An object with keys that are like `key`; `__proto__` is one like any other. */
export const mapOf = <T extends Type>(item: T, key: Type<string> = text): Type<ReadonlyMap<string, z.output<T>>> =>
  z.pipe(
    z.custom<object>((one) => typeof one === 'object' && one !== null && !Array.isArray(one), OBJECT),
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

/** A key that may be missing; `exactOptional`: and is never undefined. */
// Named, and not taken out of `z`: that would bring all of it into the bundle, words in forty languages too.
export { optional, exactOptional, nullable } from 'zod/mini';

/** This where the key is missing or null. */
export const orElse = <T extends Type, E>(value: T, other: E): Type<z.output<T> | E> =>
  z.pipe(
    z.nullish(value),
    z.transform((one) => one ?? other),
  );
export const orNull = <T extends Type>(value: T): Type<z.output<T> | null> => orElse(value, null);

/** What this makes of a value, by the schema. */
export const made = <T extends Type>(make: (value: unknown) => unknown, schema: T): Type<z.output<T>> =>
  z.pipe(z.transform(make), schema);

export const anything = z.unknown();

/** What is taken as it is, because a checksum shows that this program wrote it. */
export const asWritten = <T>(): Type<T> => z.custom<T>();

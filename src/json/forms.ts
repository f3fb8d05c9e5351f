// Forms of values in JSON documents, each with its schema, and with its words and unit for docs/json.md.
import * as s from '../core/platform/documents/schema.js';

/** The form of a `T`. */
export interface Form<T> {
  readonly schema: s.Schema<T>;
  /** The form in words, including the unit. */
  readonly form: string;
}

const formOf = <T>(build: s.Schema<T>, form: string): Form<T> => ({ schema: build, form });

export const text = formOf(() => s.text, 'text');
export const count = formOf(() => s.count, 'count');
export const bytes = formOf(() => s.amount, 'bytes');
export const ms = formOf(() => s.count, 'ms');
export const time = formOf(() => s.moment, 'time');
export const flag = formOf(() => s.flag, 'true or false');
export const number = formOf(() => s.number, 'number');
export const signedUsd = formOf(() => s.nullable(s.number), 'USD, null when not known');
/** The cost of one unit. */
export const price = formOf(() => s.nullable(s.amount), signedUsd.form);
const isMicro = (one: number): boolean => one >= 0 && Number(one.toFixed(6)) === one;
const MICRO_USD = s.numberThat(isMicro, 'USD from 0 on in whole micro-dollars');
export const usd = formOf(() => s.nullable(MICRO_USD), signedUsd.form);
/** A value that is described elsewhere, unchanged. */
export const elsewhere: Form<object> = formOf(() => s.recordOf(s.anything), 'object');
export const value = formOf(() => s.anything, 'text, number, list, true or false');

/** A value for each name. */
export const byName = <T>({ schema }: Form<T>, form: string): Form<Readonly<Record<string, T>>> =>
  formOf(() => s.recordOf(schema()), form);

export const byWay = byName(price, 'price for `instant`, or for `expedited`, `standard` and `bulk`');

export const requestCounts = formOf(
  s.schema(() => {
    const { count: each } = s;
    return s.strictObject({ put: each, get: each, list: each, head: each, delete: each, copy: each, other: each });
  }),
  '{ put, get, list, head, delete, copy, other }, each a count',
);

export const orNull = <T>({ schema, form }: Form<T>): Form<T | null> =>
  formOf<T | null>(() => s.nullable(schema()), `${form} or null`);

export const listOf = <T>({ schema, form }: Form<T>): Form<readonly T[]> =>
  formOf<readonly T[]>(() => s.listOf(schema()), `list of ${form}`);

export const oneOf = <const W extends readonly string[]>(...words: W): Form<W[number]> =>
  formOf<W[number]>(() => s.oneOf(words), words.map((word) => `\`${word}\``).join(', '));

/** The words of a text: `'a b? c'` is `'a' | 'b?' | 'c'`. */
export type Words<S extends string, Before = never> = S extends `${infer First} ${infer Rest}`
  ? Words<Rest, Before | First>
  : Before | S;

/** These words, each of which may be missing. */
export type Optional<S extends string, Before extends string = ''> = S extends `${infer First} ${infer Rest}`
  ? Optional<Rest, `${Before}${Marked<First>} `>
  : `${Before}${Marked<S>}`;
type Marked<W extends string> = W extends `${string}?` ? W : `${W}?`;

export const optional = <S extends string>(words: S): Optional<S> =>
  words.replaceAll(/(\w+)(?= |$)/g, '$1?') as Optional<S>;

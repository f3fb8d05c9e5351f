// Forms of values in JSON documents, each with its JSON Schema (draft 2020-12), and with its words and unit for docs/json.md.

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The form of a `T`. */
export interface Form<T> {
  readonly schema: JsonSchema;
  /** The form in words, including the unit. */
  readonly form: string;
  /** Only for the compiler, which infers `T` from it. */
  readonly [HELD]?: () => T;
}
declare const HELD: unique symbol;

const formOf = <T>(schema: JsonSchema, form: string): Form<T> => ({ schema, form });

/** Whole numbers beyond it are not exact in every language. */
const MOST = Number.MAX_SAFE_INTEGER;
const WHOLE = { type: 'integer', minimum: 0, maximum: MOST };

export const text = formOf<string>({ type: 'string' }, 'text');
export const count = formOf<number>(WHOLE, 'count');
export const bytes = formOf<number>(WHOLE, 'bytes');
export const ms = formOf<number>(WHOLE, 'ms');
export const time = formOf<string>(
  { type: 'string', format: 'date-time', pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$` },
  'time',
);
export const flag = formOf<boolean>({ type: 'boolean' }, 'true or false');
export const number = formOf<number>({ type: 'number' }, 'number');
export const signedUsd = formOf<number | null>({ type: ['number', 'null'] }, 'USD, null when not known');
/** The cost of one unit. */
export const price = formOf<number | null>({ type: ['number', 'null'], minimum: 0 }, signedUsd.form);
/** Of a schema for USD from 0 on in whole micro-dollars, which `multipleOf` cannot tell of binary fractions. */
export const MICRO_USD = 'whole micro-dollars';
export const usd = formOf<number | null>({ ...price.schema, $comment: MICRO_USD }, signedUsd.form);
/** A value that is described elsewhere, unchanged. */
export const elsewhere = formOf<object>({ type: 'object' }, 'object');
export const value = formOf<unknown>({}, 'text, number, list, true or false');

/** A value for each name. */
export const byName = <T>({ schema }: Form<T>, form: string): Form<Readonly<Record<string, T>>> =>
  formOf({ type: 'object', additionalProperties: schema }, form);

export const byWay = byName(price, 'price for `instant`, or for `expedited`, `standard` and `bulk`');

/** An object with these keys and no others. @param schemas by the names of the keys, a name with `?` may be missing */
export function strictObject(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const named = Object.entries(schemas).map(([name, schema]) => [name.replace('?', ''), schema] as const);
  const required = Object.keys(schemas).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    properties: Object.fromEntries(named),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

type Requests = Readonly<Record<'put' | 'get' | 'list' | 'head' | 'delete' | 'copy' | 'other', number>>;
const KINDS = ['put', 'get', 'list', 'head', 'delete', 'copy', 'other'];
export const requestCounts = formOf<Requests>(
  strictObject(Object.fromEntries(KINDS.map((kind) => [kind, WHOLE]))),
  `{ ${KINDS.join(', ')} }, each a count`,
);

/** A schema that takes null, too. */
function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: words, ...rest } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { type: [type, 'null'], ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }), ...rest };
}

export const orNull = <T>({ schema, form }: Form<T>): Form<T | null> => formOf(nullable(schema), `${form} or null`);

export const listOf = <T>({ schema, form }: Form<T>): Form<readonly T[]> =>
  formOf({ type: 'array', items: schema }, `list of ${form}`);

/** One of several kinds. */
export const anyOf = <T>(kinds: readonly Form<T>[]): Form<T> =>
  formOf({ anyOf: kinds.map(({ schema }) => schema) }, kinds.map(({ form }) => form).join(' or '));

export const oneOf = <const W extends readonly string[]>(...words: W): Form<W[number]> =>
  formOf({ type: 'string', enum: words }, words.map((word) => `\`${word}\``).join(', '));

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

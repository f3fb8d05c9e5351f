// The published JSON Schemas (draft 2020-12) of what commands print, made of the same keys and forms as docs/json.md.
import { SCHEMA_VERSION } from '../core/platform/json/document.js';
import { JSON_DOCUMENTS, JSON_LINES, OTHER_DOCUMENTS } from './documents.js';
import type { JsonSchema } from './forms.js';
import { JSON_KEYS, objectOf } from './keys.js';

/** A schema, before the keys that it names are added. */
interface Outline {
  readonly title: string;
  readonly schema: JsonSchema;
}

const documentOf = (keys: string): JsonSchema => objectOf(`schemaVersion ${keys}`.trim());

const FAILURE = documentOf(OTHER_DOCUMENTS.error);

/** The answer of a command: its document, or why it failed. */
const answerOf = (path: string, keys: string): Outline => ({
  title: `archiver ${path} --json`,
  schema: keys === '' ? FAILURE : { anyOf: [documentOf(keys), FAILURE] },
});

/** A line of progress of this type. */
function lineOf(type: string, keys: string): JsonSchema {
  const { properties, ...rest } = documentOf(`type ${keys}`);
  return { ...rest, properties: { ...(properties as object), type: { const: type } } };
}

const OUTLINES: ReadonlyMap<string, Outline> = new Map([
  ...Object.entries(JSON_DOCUMENTS).map(([path, keys]) => [path, answerOf(path, keys)] as const),
  ['error', { title: 'a failure, with --json', schema: FAILURE }],
  ['help', { title: 'archiver --help --json', schema: documentOf(OTHER_DOCUMENTS.call) }],
  ['version', { title: 'archiver --version --json', schema: documentOf(OTHER_DOCUMENTS.programVersion) }],
  [
    'progress',
    {
      title: 'a line of --progress-format json',
      schema: { anyOf: Object.entries(JSON_LINES).map(([type, keys]) => lineOf(type, keys)) },
    },
  ],
]);

/** The names of the schemas, with what each is of: the paths of commands, then `error`, `help`, `version` and `progress`. */
export const schemaTitles = (): readonly (readonly [name: string, title: string])[] =>
  Array.from(OUTLINES, ([name, { title }]) => [name, title]);

/** Returns the schema of this name, with the keys that it needs; undefined where there is none. */
export function jsonSchema(name: string): JsonSchema | undefined {
  const outline = OUTLINES.get(name);
  if (outline === undefined) return undefined;
  const { title, schema } = outline;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:zstd-archiver:json:${SCHEMA_VERSION}:${name.replaceAll(' ', '-')}`,
    title,
    ...withKeys(schema),
  };
}

/** The schema with the keys that it names, and those that they name, in `$defs`. */
export function withKeys(schema: JsonSchema): JsonSchema {
  const keys: Readonly<Record<string, { readonly schema: JsonSchema; readonly means: string }>> = JSON_KEYS;
  const named = new Set<string>();
  const collect = (one: JsonSchema): void => {
    for (const [, name = ''] of JSON.stringify(one).matchAll(/"#\/\$defs\/(\w+)"/g)) named.add(name);
  };
  collect(schema);
  const defined: (readonly [string, JsonSchema])[] = [];
  // A set is walked on over what is added to it meanwhile.
  for (const name of named) {
    const key = keys[name];
    if (key === undefined) throw new Error(`${name} is not in src/json/keys.ts`);
    collect(key.schema);
    defined.push([name, { description: key.means, ...key.schema }]);
  }
  return { ...schema, $defs: Object.fromEntries(defined.toSorted(([one], [other]) => (one < other ? -1 : 1))) };
}

// The check of what commands print against the published JSON Schemas, by a validator that is not ours.
import { type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Command } from '../../src/cli/command.js';
import { commandsUnder, findNode, type Node } from '../../src/cli/tree.js';
import { route } from '../../src/cli/route.js';
import { program } from '../../src/commands/index.js';
import { SCHEMA_VERSION } from '../../src/core/platform/json/document.js';
import { JSON_DOCUMENTS, JSON_LINES } from '../../src/json/documents.js';
import { type JsonSchema, MICRO_USD } from '../../src/json/forms.js';
import { jsonSchema, withKeys } from '../../src/json/json-schema.js';
import { objectOf } from '../../src/json/keys.js';

const ajv = new Ajv2020({
  allErrors: true,
  formats: {
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
    'micro-usd': { type: 'number', validate: (usd: number) => Number(usd.toFixed(6)) === usd },
  },
});

/** What JSON Schema cannot say becomes a format: amounts are whole micro-dollars. */
const withFormats = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (_key, value: JsonSchema | null) =>
    value?.['$comment'] === MICRO_USD ? { ...value, format: 'micro-usd' } : value,
  ) as JsonSchema;

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string, schema: () => JsonSchema | undefined): ValidateFunction {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const made = schema();
  if (made === undefined) throw new Error(`there is no schema of ${name}`);
  const validate = ajv.compile(withFormats(made));
  validators.set(name, validate);
  return validate;
}

/** The kind of several that a value is meant to be, of a line by its type. */
function kindOf(value: object): number {
  const type = 'type' in value && typeof value.type === 'string' ? value.type : '';
  return 'error' in value ? 1 : Math.max(0, Object.keys(JSON_LINES).indexOf(type));
}

/** The errors in one line, without those of the kinds that it is not. */
function textOf(errors: readonly ErrorObject[], kind: number): string {
  const isOfOther = ({ schemaPath }: ErrorObject): boolean =>
    schemaPath.startsWith('#/anyOf/') && !schemaPath.startsWith(`#/anyOf/${kind}/`);
  return errors
    .filter((error) => !isOfOther(error))
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

function validate(validator: ValidateFunction, value: object, what: string): void {
  if (!validator(value)) throw new Error(`${what}: ${textOf(validator.errors ?? [], kindOf(value))}`);
}

/** Checks an object against the form of these keys. @throws what is wrong with it */
export const checkKeys = (keys: string, value: object): void =>
  validate(
    validatorOf(`keys ${keys}`, () => withKeys(objectOf(keys))),
    value,
    `an object of ${keys}`,
  );

const root = program();

/** The name of the schema of what a call printed; undefined for a command of a test's own. */
function schemaNameFor(argv: readonly string[], document: object, tree: Node<Command>): string | undefined {
  if ('programVersion' in document) return 'version';
  if ('call' in document) return 'help';
  const command = route(tree, argv).node.command;
  // A test may have commands of its own, and each program has its own copies of ours.
  const ours = command && findNode(root, command.path.split(' '))?.command;
  if (command !== undefined && ours?.run === command.run) return command.path;
  return 'error' in document ? 'error' : undefined;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut off, as in a test of lost output
  }
};

const isDocument = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkDocument(argv: readonly string[], document: object, tree: Node<Command>): void {
  const name = schemaNameFor(argv, document, tree);
  if (name === undefined) return;
  validate(
    validatorOf(name, () => jsonSchema(name)),
    document,
    `the document of \`archiver ${argv.join(' ')}\``,
  );
}

/** Checks what a call with these words printed: with --json its document, with --progress-format json its lines. @throws what is wrong with it */
export function checkJson(
  argv: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  tree: Node<Command> = root,
): void {
  const document = argv.includes('--json') ? parsed(stdout) : undefined;
  if (isDocument(document)) checkDocument(argv, document, tree);
  if (!argv.join(' ').includes('--progress-format json') && !argv.includes('--progress-format=json')) return;
  for (const line of stderr.split('\n').map(parsed)) {
    if (!isDocument(line) || !('type' in line)) continue;
    validate(
      validatorOf('progress', () => jsonSchema('progress')),
      line,
      `a line of \`archiver ${argv.join(' ')}\``,
    );
    // The result of a summary is the document of the command.
    const result = 'result' in line ? line.result : undefined;
    if (isDocument(result)) checkDocument(argv, { schemaVersion: SCHEMA_VERSION, ...result }, tree);
  }
}

/** Commands of the program without a document here. */
export const undocumented = (): readonly string[] =>
  [...commandsUnder(root)].map(({ path }) => path).filter((path) => !(path in JSON_DOCUMENTS));

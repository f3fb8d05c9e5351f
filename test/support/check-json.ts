// The check of what commands print against the JSON documents that they promise.
import type { Command } from '../../src/cli/command.js';
import { commandsUnder, findNode, type Node } from '../../src/cli/tree.js';
import { route } from '../../src/cli/route.js';
import { program } from '../../src/commands/index.js';
import { readValue } from '../../src/core/platform/documents/read-document.js';
import type { Schema } from '../../src/core/platform/documents/schema.js';
import { JSON_DOCUMENTS, JSON_LINES, OTHER_DOCUMENTS } from '../../src/json/documents.js';
import { objectOf } from '../../src/json/keys.js';

const schemas = new Map<string, Schema<object>>();
function schemaOf(keys: string): Schema<object> {
  const known = schemas.get(keys) ?? objectOf(`schemaVersion ${keys}`.trim());
  schemas.set(keys, known);
  return known;
}

const keysIn = (documents: Readonly<Record<string, string>>, name: string): string | undefined => documents[name];

const root = program();

function keysFor(argv: readonly string[], document: object, tree: Node<Command>): string | undefined {
  const other = Object.keys(OTHER_DOCUMENTS).find((name) => name in document);
  if (other !== undefined) return keysIn(OTHER_DOCUMENTS, other);
  const command = route(tree, argv).node.command;
  const path = command?.path;
  // A test may have commands of its own.
  if (path === undefined || findNode(root, path.split(' '))?.command !== command) return undefined;
  const keys = keysIn(JSON_DOCUMENTS, path);
  if (keys === undefined) throw new Error(`the document of \`archiver ${path}\` is not in src/json/documents.ts`);
  return keys;
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

/** Checks what a call with these words printed: with --json its document, with --progress-format json its lines. @throws what is wrong with it */
export function checkJson(
  argv: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
  tree: Node<Command> = root,
): void {
  const document = argv.includes('--json') ? parsed(stdout) : undefined;
  const keys = isDocument(document) ? keysFor(argv, document, tree) : undefined;
  if (keys !== undefined) readValue(schemaOf(keys), document, `the document of \`archiver ${argv.join(' ')}\``);
  if (!argv.join(' ').includes('--progress-format json') && !argv.includes('--progress-format=json')) return;
  for (const line of stderr.split('\n').map(parsed)) {
    const type = isDocument(line) && 'type' in line && typeof line.type === 'string' ? line.type : '';
    const { type: _, ...rest } = isDocument(line) ? { type, ...line } : { type };
    const lineKeys = keysIn(JSON_LINES, type);
    if (lineKeys !== undefined) readValue(schemaOf(lineKeys), rest, `a line of \`archiver ${argv.join(' ')}\``);
  }
}

/** Commands of the program without a document here. */
export const undocumented = (): readonly string[] =>
  [...commandsUnder(root)].map(({ path }) => path).filter((path) => !(path in JSON_DOCUMENTS));

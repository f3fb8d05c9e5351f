// The bytes of a config file to settings and problems. Nothing in the file is ignored: a key that is not in the schema
// is a problem with its line, and so is a secret, which has no place in a file that people copy around.
import type { Document, LineCounter as Lines, Node, Pair, YAMLMap } from 'yaml';
import { isSecretName } from '../platform/failures/hide-secrets.js';
import { decodeUtf8 } from '../platform/text/strict-utf8.js';
import { keyAt, keysOfNamed, namesBelow, type ConfigKey, type ConfigSchema } from './config-schema.js';

export interface ConfigSetting {
  readonly key: string;
  /** As a person would type them after a flag. */
  readonly texts: readonly string[];
  readonly line: number;
}

export interface ConfigProblem {
  readonly line: number;
  /** Dotted path, empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
  readonly hint?: string;
}

export interface ParsedConfig {
  readonly settings: readonly ConfigSetting[];
  readonly problems: readonly ConfigProblem[];
}

/** Far more than any real file: a larger one is not a config file. */
const MAX_BYTES = 1024 * 1024;

const SECRET_HINT = 'credentials come from the AWS chain: name a profile with aws.profile, or set the AWS_* variables';

interface Reader {
  readonly yaml: typeof import('../platform/text/yaml.js');
  readonly document: Document;
  readonly lines: Lines;
  readonly schema: ConfigSchema;
  readonly settings: ConfigSetting[];
  readonly problems: ConfigProblem[];
}

const lineAt = (reader: Reader, node: unknown): number => {
  const range = reader.yaml.isNode(node) ? node.range : undefined;
  return range ? reader.lines.linePos(range[0]).line : 1;
};

/** The text of a scalar as it stands in the file: `0123` and `1.10` keep their digits. */
function scalarText({ yaml }: Reader, node: unknown): string | undefined {
  if (!yaml.isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : (node.source ?? JSON.stringify(node.value));
}

const resolved = (reader: Reader, node: unknown): unknown =>
  reader.yaml.isAlias(node) ? node.resolve(reader.document) : node;

function listTexts(reader: Reader, node: unknown): readonly string[] | undefined {
  if (!reader.yaml.isSeq(node)) return undefined;
  const texts = node.items.map((item) => scalarText(reader, resolved(reader, item)));
  return texts.every((text): text is string => text !== undefined) ? texts : undefined;
}

function mapTexts(reader: Reader, node: unknown): readonly string[] | undefined {
  if (!reader.yaml.isMap(node)) return undefined;
  const texts = node.items.map(({ key, value }) => {
    const [name, text] = [scalarText(reader, key), scalarText(reader, resolved(reader, value))];
    return name === undefined || text === undefined ? undefined : `${name}=${text}`;
  });
  return texts.every((text): text is string => text !== undefined) ? texts : undefined;
}

interface Place {
  /** Dotted path of the key. */
  readonly name: string;
  readonly line: number;
}

function readValue(reader: Reader, key: ConfigKey, node: unknown, { name, line }: Place): void {
  const text = scalarText(reader, node);
  const texts =
    (text === undefined ? undefined : [text]) ??
    (key.isList ? listTexts(reader, node) : undefined) ??
    (key.isMap ? mapTexts(reader, node) : undefined);
  if (texts !== undefined) {
    reader.settings.push({ key: name, texts, line });
    return;
  }
  const wanted = key.isMap ? 'a map of texts' : key.isList ? 'a value or a list of values' : 'one value';
  const isEmpty = node === null || (reader.yaml.isScalar(node) && node.value === null);
  reader.problems.push({ line, key: name, message: isEmpty ? 'has no value' : `wants ${wanted}` });
}

function unknownKey(reader: Reader, section: string, name: string, line: number): void {
  const key = section === '' ? name : `${section}.${name}`;
  if (isSecretName(name)) {
    reader.problems.push({ line, key, message: 'is a secret and is not read from this file', hint: SECRET_HINT });
    return;
  }
  if (reader.schema.named.has(section)) {
    reader.problems.push({ line, key, message: 'is no name: letters, digits, - and _ make one, at most 64' });
    return;
  }
  const near = reader.schema.suggest(name, namesBelow(reader.schema, section));
  const full = near === undefined ? undefined : section === '' ? near : `${section}.${near}`;
  reader.problems.push({
    line,
    key,
    message: 'is not a setting',
    ...(full === undefined ? {} : { hint: `did you mean ${full}?` }),
  });
}

function readPair(reader: Reader, section: string, { key: keyNode, value }: Pair): void {
  const name = scalarText(reader, keyNode);
  const line = lineAt(reader, keyNode);
  if (name === undefined) {
    reader.problems.push({ line, key: section, message: 'holds a key that is not a text' });
    return;
  }
  const path = section === '' ? name : `${section}.${name}`;
  const known = keyAt(reader.schema, path);
  const node = resolved(reader, value);
  if (known !== undefined) readValue(reader, known, node, { name: path, line });
  else if (!reader.schema.sections.has(path) && keysOfNamed(reader.schema, path) === undefined)
    unknownKey(reader, section, name, line);
  else if (reader.yaml.isMap(node)) readSection(reader, path, node);
  else if (scalarText(reader, node) !== undefined || reader.yaml.isSeq(node)) {
    reader.problems.push({ line, key: path, message: 'is a section: put its settings below it' });
  }
  // A section with nothing below it (all its lines commented out) says nothing, and that is fine.
}

function readSection(reader: Reader, section: string, map: YAMLMap): void {
  for (const pair of map.items) readPair(reader, section, pair);
}

function rootProblem(reader: Reader, contents: Node | null): void {
  if (contents === null || (reader.yaml.isScalar(contents) && contents.value === null)) return;
  if (reader.yaml.isMap(contents)) readSection(reader, '', contents);
  else
    reader.problems.push({
      line: lineAt(reader, contents),
      key: '',
      message: 'the file must hold sections, such as aws:',
    });
}

const unread = (line: number, reason: string): ParsedConfig => ({
  settings: [],
  problems: [{ line, key: '', message: `the file ${reason}` }],
});

/** Reads a config file against the schema. A file that is no single document of YAML is one problem, with its line. */
export async function parseConfig(bytes: Uint8Array, schema: ConfigSchema): Promise<ParsedConfig> {
  if (bytes.byteLength > MAX_BYTES) return unread(1, 'is larger than 1 MiB');
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return unread(decoded.line, decoded.reason);
  const yaml = await import('../platform/text/yaml.js');
  const { readDocument } = await import('../platform/text/yaml-document.js');
  const lines = new yaml.LineCounter();
  const { document, damage } = readDocument(decoded.text, { lineCounter: lines });
  if (damage !== undefined) return unread(lines.linePos(damage.offset).line, damage.reason);
  const reader: Reader = { yaml, document, lines, schema, settings: [], problems: [] };
  rootProblem(reader, document.contents);
  return { settings: reader.settings, problems: reader.problems };
}

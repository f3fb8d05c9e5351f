// Format of a small state file: one JSON document with a type, a format and a checksum. Damaged, foreign and newer files are distinguished,
// each with one sentence.
import { createHash } from 'node:crypto';
import { readObject, readValue } from '../documents/read-document.js';
import { isPlain, type Schema } from '../documents/schema.js';
import { ArchiverError, integrityError } from '../failures/errors.js';
import { parseBoundedJson } from '../json/json-guard.js';
import { printable } from '../paths/raw-path.js';

const MAX_DEPTH = 8;

export interface StateKind {
  /** `type` in the document. */
  readonly type: string;
  readonly format: number;
  /** Its name in messages, such as `saved upload`. */
  readonly noun: string;
}

/** A kind of state file, with the schema of its body. */
export interface StateSchema<T> extends StateKind {
  /** The oldest format that the schema reads, too; `format` if not given. */
  readonly oldestFormat?: number;
  /** The document without format, type and checksum. */
  readonly body: Schema<T>;
}

export interface StatePlace {
  /** Path of the file. */
  readonly path: string;
  /** Hint for a damaged file. */
  readonly hint: string;
}

/** The text of the file. */
export function encodeStateDocument({ type, format }: Pick<StateKind, 'type' | 'format'>, body: object): string {
  const text = JSON.stringify({ format, type, ...body });
  return `${text.slice(0, -1)},"sha256":"${digestOf(text)}"}\n`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Parses the text of a file.
 * @throws integrity when it is damaged or another kind of file, unsupported when it is newer
 */
export function readStateDocument<T>(text: string, kind: StateSchema<T>, place: StatePlace): T {
  const { type, format, noun } = kind;
  const { path, hint } = place;
  const what = `the ${noun} ${printable(path)}`;
  const { sha256, ...body } = readObject(parsedText(text, what, hint), what, { hint });
  if (body['type'] !== type) throw integrityError(`${printable(path)} is not a ${noun} of archiver`, { hint });
  const found = body['format'];
  if (typeof found === 'number' && found > format) {
    throw new ArchiverError('unsupported', `${what} has format ${found}, and this archiver reads ${format}`, {
      hint: 'update archiver',
    });
  }
  const isRead = found === format || (typeof found === 'number' && found >= (kind.oldestFormat ?? format));
  if (!isRead || sha256 !== digestOf(JSON.stringify(body)))
    throw integrityError(`${what} is damaged: it does not match its checksum`, { hint });
  // Most bodies have neither, and are what their schema would return.
  const { type: _type, format: _format, ...alone } = body;
  const schema = kind.body();
  return isPlain(schema, alone) ? alone : readValue(kind.body, body, what, { hint });
}

function parsedText(text: string, what: string, hint: string): unknown {
  try {
    return parseBoundedJson(text, MAX_DEPTH, what);
  } catch (error) {
    throw integrityError(`${what} is damaged: it is not a JSON document`, { cause: error, hint });
  }
}

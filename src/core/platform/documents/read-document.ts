// Reads untrusted JSON by a schema. Invalid documents are refused in our own words: which document, which key of it, and what was expected
// there.
import type * as z from 'zod/mini';
import { ArchiverError, type ErrorOptions, integrityError } from '../failures/errors.js';
import { parseBoundedJson } from '../json/json-guard.js';
import { printable } from '../paths/raw-path.js';
import * as s from './schema.js';

const ANY_OBJECT = s.schema(() => s.anyObject);

/** Only the first problem is reported: a million of them would take more memory than the document. */
const ONE_PROBLEM: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/** Parses a value by its schema; `what` names it in messages. @throws integrity */
export function readValue<T>(schema: s.Schema<T>, value: unknown, what: string, options?: ErrorOptions): T {
  const type = schema();
  if (s.isPlain(type, value)) return value;
  const { success, data, error } = type.safeParse(value, ONE_PROBLEM);
  if (success) return data;
  const [issue] = error.issues;
  throw integrityError(issue === undefined ? `${what} cannot be read` : problemOf(issue, what), options);
}

/** Checks that a value is an object, so that a few keys can be read before the others. @throws integrity */
export const readObject = (value: unknown, what: string, options?: ErrorOptions): Readonly<Record<string, unknown>> =>
  readValue(ANY_OBJECT, value, what, options);

/** Parses a document of at most this depth, without duplicate keys. @throws integrity */
export const readJson = <T>(schema: s.Schema<T>, text: string, what: string, maxDepth: number): T =>
  readValue(schema, parseBoundedJson(text, maxDepth, what), what);

/** Checks the format of a document, which `key` holds. @throws unsupported for a newer one, else integrity */
export function checkFormat(document: unknown, key: string, known: number, what: string): void {
  const format = readObject(document, what)[key];
  if (format === known) return;
  if (typeof format !== 'number' || format < known) throw integrityError(`'${key}' of ${what} is not ${known}`);
  throw new ArchiverError('unsupported', `${what} has format ${format}, and this archiver reads ${known}`, {
    hint: 'update archiver',
  });
}

function problemOf(issue: z.core.$ZodIssue, what: string): string {
  const { path, message } = issue;
  const ofList = (): string => placeOf(path.slice(0, -1), what);
  if (issue.code === 'too_big' && issue.origin === 'array')
    return `${ofList()} has more than ${issue.maximum} ${String(path.at(-1))}`;
  if (issue.code === 'too_small' && issue.origin === 'array')
    return `${ofList()} has fewer than ${issue.minimum} ${String(path.at(-1))}`;
  if (issue.code === 'unrecognized_keys')
    return `${placeOf([...path, ...issue.keys.slice(0, 1)], what)} is not a key that this archiver knows`;
  return `${placeOf(path, what)} is not ${message}`;
}

/** Names a place, such as `'files' of source 1 of the heartbeat`. */
function placeOf(path: readonly PropertyKey[], what: string): string {
  return path.reduce<string>((around, part, at) => {
    if (typeof part !== 'number') return `'${printable(String(part))}' of ${around}`;
    // The number of an item follows the name of its list, which is in `around` already.
    const list = printable(String(path[at - 1]));
    return `${list.replace(/s$/, '')} ${part + 1} of ${around.slice(`'${list}' of `.length)}`;
  }, what);
}

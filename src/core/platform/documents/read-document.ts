// Reads untrusted JSON by a schema. What is not as the schema says is refused in our words: which document, which key of it, and
// what was expected there.
import type * as z from 'zod/mini';
import { ArchiverError, type ErrorOptions, integrityError } from '../failures/errors.js';
import { parseBoundedJson } from '../json/json-guard.js';
import { printable } from '../paths/raw-path.js';
import * as s from './schema.js';

const ANY_OBJECT = s.schema(() => s.anyObject);

/** What is said is one problem: a million of them would take more memory than the document. */
const ONE_PROBLEM: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/** The value as the schema has it; `what` names it in messages. @throws integrity */
export function readValue<T>(schema: s.Schema<T>, value: unknown, what: string, options?: ErrorOptions): T {
  const type = schema();
  if (s.isPlain(type, value)) return value;
  const { success, data, error } = type.safeParse(value, ONE_PROBLEM);
  if (success) return data;
  const [issue] = error.issues;
  throw integrityError(issue === undefined ? `${what} cannot be read` : problemOf(issue, what), options);
}

/** An object with whatever is in it, of which a few keys are looked at before the others are read. @throws integrity */
export const readObject = (value: unknown, what: string, options?: ErrorOptions): Readonly<Record<string, unknown>> =>
  readValue(ANY_OBJECT, value, what, options);

/** A document of at most this depth, without a key twice. @throws integrity */
export const readJson = <T>(schema: s.Schema<T>, text: string, what: string, maxDepth: number): T =>
  readValue(schema, parseBoundedJson(text, maxDepth, what), what);

/** Whether a document is of the format that is known; `key` says which it is of. @throws unsupported for a newer one, else integrity */
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

/** `'files' of source 1 of the heartbeat`. */
function placeOf(path: readonly PropertyKey[], what: string): string {
  return path.reduce<string>((around, part, at) => {
    if (typeof part !== 'number') return `'${printable(String(part))}' of ${around}`;
    // The number of an item stands with the name of its list, which is in `around` already.
    const list = printable(String(path[at - 1]));
    return `${list.replace(/s$/, '')} ${part + 1} of ${around.slice(`'${list}' of `.length)}`;
  }, what);
}

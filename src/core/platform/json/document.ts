// JSON that this program prints for other programs; docs/json.md says what the keys mean.
import { unicodeEscaped } from '../text/unicode-escape.js';

/** Incremented when a key is removed or changes its meaning, not when keys are added. */
export const SCHEMA_VERSION = 2;

// Characters that terminals act on, and that `JSON.stringify` leaves unchanged: control characters from DEL on, and marks of direction.
const ACTING = /[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same JSON with those characters escaped, so that foreign texts cannot act on a terminal. */
export const escapeForTerminal = (json: string): string => unicodeEscaped(json, ACTING);

/** The document as one line. */
export const documentLine = (document: object): string =>
  `${escapeForTerminal(JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...document }))}\n`;

/** JSON text of a `T`. */
export type Json<T> = string & { readonly [OF]: T };
declare const OF: unique symbol;

export const jsonOf = <T>(value: T): Json<T> => JSON.stringify(value) as Json<T>;

// Paths inside the engine are byte strings: one JavaScript character per byte (latin1), exactly the bytes of the file system. They compare
// in byte order with `<`, take one byte per character, and preserve names that are not UTF-8. Only the edges (JSON, the terminal, flags)
// use text.

declare const isByteString: unique symbol;

/**
 * A byte string, made only here: from text, bytes or numbers. By its type, slices and parts of one are byte strings as well; templates and
 * `+` give text, unlike `joinPath` and the like below.
 */
export type RawPath = ByteString & string;

interface ByteString {
  readonly [isByteString]: true;
  slice(start?: number, end?: number): RawPath;
  split(separator: string | RegExp): RawPath[];
}

/** Text for people; a byte string is not accepted. */
export type Text = string & { readonly [isByteString]?: never };

/** The path of the top folder, and the name of a folder itself. */
export const TOP = '' as RawPath;
export const CURRENT_FOLDER = '.' as RawPath;

/** Returns the bytes from `start` to `end` as they are. */
export const rawFromBytes = (bytes: Buffer, start?: number, end?: number): RawPath =>
  bytes.toString('latin1', start, end) as RawPath;

/** Converts strings that Node has read with the encoding `latin1`. */
export const rawFromLatin1 = <T extends string | string[]>(read: T): T extends string ? RawPath : RawPath[] =>
  read as unknown as T extends string ? RawPath : RawPath[];

/** Decodes `keyBase64` of a JSON document. */
export const rawFromBase64 = (text: string): RawPath => rawFromBytes(Buffer.from(text, 'base64'));

/** Returns the digits of a number. */
export const rawFromNumber = (value: number | bigint, radix = 10): RawPath => value.toString(radix) as RawPath;

/** Returns the bytes of a byte string. */
export const bytesOf = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1');

// eslint-disable-next-line no-control-regex
const NON_ASCII = /[\x80-\xff]/;
// eslint-disable-next-line no-control-regex
const NON_ASCII_ALL = /[\x80-\xff]/g;
// eslint-disable-next-line no-control-regex
const WIDE = /[^\x00-\x7f]/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Converts text to its UTF-8 byte string. */
export function rawFromText(text: Text): RawPath {
  return WIDE.test(text) ? rawFromBytes(Buffer.from(text, 'utf8')) : (text as string as RawPath);
}

/** Converts a byte string to text; undefined when it is not UTF-8. */
export function textFromRaw(raw: RawPath): string | undefined {
  if (!NON_ASCII.test(raw)) return raw;
  try {
    return strictUtf8.decode(bytesOf(raw));
  } catch {
    return undefined;
  }
}

/**
 * Returns text for comparison with other text: decoded where it is UTF-8. Otherwise the other bytes become unpaired surrogates, so that it
 * equals no text that anybody can write.
 */
export const comparableText = (raw: RawPath): string =>
  textFromRaw(raw) ?? raw.replace(NON_ASCII_ALL, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));

/** Returns the path of something in a folder; in the top folder that is its name. */
export const joinPath = (folder: RawPath, name: RawPath): RawPath => (folder === '' ? name : pathBelow(folder, name));

/** Returns the path below an absolute folder, where an empty one is the root of the file system. */
export const pathBelow = (folder: RawPath, path: RawPath): RawPath => `${folder}/${path}` as RawPath;

/** Concatenates two byte strings. */
export const withEnd = (raw: RawPath, end: RawPath): RawPath => (raw + end) as RawPath;

/** Joins parts with a separator. */
export const joinParts = (parts: readonly RawPath[], between: '/' | '\0' | '' = '/'): RawPath =>
  parts.join(between) as RawPath;

/** Returns the last part. */
export const baseName = (path: RawPath): RawPath => path.slice(path.lastIndexOf('/') + 1);

/** Returns the folder that contains the path. */
export const parentOf = (path: RawPath): RawPath => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Splits a path into its folder and its name. */
export function splitPath(path: RawPath): readonly [folder: RawPath, name: RawPath] {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? [TOP, path] : [path.slice(0, slash), path.slice(slash + 1)];
}

/** Returns the path for `fs` functions: the string itself when it is ASCII, otherwise its bytes. */
export function fsPath(raw: RawPath): string | Buffer {
  return NON_ASCII.test(raw) ? bytesOf(raw) : raw;
}

// Control characters, the escape that starts terminal sequences, and bidi overrides, which make names look like others.
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** Makes text safe to print: the bytes of control and direction characters become `\xNN`. */
export function printable(text: Text): string {
  return text.replace(UNPRINTABLE, escapedBytes);
}

/** Returns each byte of the text as `\xNN`. */
export const escapedBytes = (text: Text): string => escapedRaw(rawFromText(text));

const escapedRaw = (raw: string): string =>
  Array.from(raw, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

// A backslash that would read as the beginning of a byte, and the replacement for bytes that Node cannot decode.
const MISREAD = /\\(?=x[0-9a-f]{2})|\ufffd/gi;

/** Text that is displayed as it is, which most paths are. */
const PLAIN = /^[ -\x5b\x5d-~]*$/;

/** Returns a byte string for display: decoded when it is UTF-8, otherwise with other bytes as `\xNN`. `typedPath` reads it back. */
export function displayPath(raw: RawPath): string {
  if (PLAIN.test(raw)) return raw;
  const text = textFromRaw(raw)?.replace(MISREAD, escapedBytes);
  return printable(text ?? raw.replace(/\\(?=x[0-9a-f]{2})/gi, escapedRaw).replace(NON_ASCII_ALL, escapedRaw));
}

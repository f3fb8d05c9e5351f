// Paths inside the engine are byte strings: one JavaScript character per byte (latin1), exactly the bytes the file
// system has. They compare in byte order with `<`, cost one byte a character, and keep names that are not UTF-8.
// Only the edges (JSON, the terminal, flags) use text.

declare const isByteString: unique symbol;

/**
 * A byte string: made here only, from text, bytes or numbers. The type knows that what is cut out of one
 * is one; templates and `+` give text, `joinPath` and its like below do not.
 */
export type RawPath = ByteString & string;

interface ByteString {
  readonly [isByteString]: true;
  slice(start?: number, end?: number): RawPath;
  split(separator: string | RegExp): RawPath[];
}

/** Text for people; where this is asked for, a byte string is refused. */
export type Text = string & { readonly [isByteString]?: never };

/** The path of the top folder, and what stands for a folder itself. */
export const TOP = '' as RawPath;
export const HERE = '.' as RawPath;

/** The bytes from `start` to `end` as they are. */
export const rawFromBytes = (bytes: Buffer, start?: number, end?: number): RawPath =>
  bytes.toString('latin1', start, end) as RawPath;

/** What Node has read with the encoding `latin1`. */
export const rawFromLatin1 = <T extends string | string[]>(read: T): T extends string ? RawPath : RawPath[] =>
  read as unknown as T extends string ? RawPath : RawPath[];

/** The bytes of `keyBase64` of a JSON document. */
export const rawFromBase64 = (text: string): RawPath => rawFromBytes(Buffer.from(text, 'base64'));

/** The digits of a number. */
export const rawFromNumber = (value: number | bigint, radix = 10): RawPath => value.toString(radix) as RawPath;

/** Its bytes. */
export const bytesOf = (raw: RawPath): Buffer => Buffer.from(raw, 'latin1');

// eslint-disable-next-line no-control-regex
const NON_ASCII = /[\x80-\xff]/;
// eslint-disable-next-line no-control-regex
const NON_ASCII_ALL = /[\x80-\xff]/g;
// eslint-disable-next-line no-control-regex
const WIDE = /[^\x00-\x7f]/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text to its UTF-8 byte string. */
export function rawFromText(text: Text): RawPath {
  return WIDE.test(text) ? rawFromBytes(Buffer.from(text, 'utf8')) : (text as string as RawPath);
}

/** Byte string to text, or undefined when the bytes are not UTF-8. */
export function textFromRaw(raw: RawPath): string | undefined {
  if (!NON_ASCII.test(raw)) return raw;
  try {
    return strictUtf8.decode(bytesOf(raw));
  } catch {
    return undefined;
  }
}

/**
 * Text to compare with text: that of the bytes where they are UTF-8. Where not, halves of characters stand for the other
 * bytes, so that it is equal to no text that somebody can write.
 */
export const comparableText = (raw: RawPath): string =>
  textFromRaw(raw) ?? raw.replace(NON_ASCII_ALL, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));

/** The path of something in a folder; in the top folder it is its name. */
export const joinPath = (folder: RawPath, name: RawPath): RawPath => (folder === '' ? name : pathBelow(folder, name));

/** The path below an absolute folder, of which an empty one is the root of the file system. */
export const pathBelow = (folder: RawPath, path: RawPath): RawPath => `${folder}/${path}` as RawPath;

/** One byte string after the other. */
export const withEnd = (raw: RawPath, end: RawPath): RawPath => (raw + end) as RawPath;

/** Parts with something between them. */
export const joinParts = (parts: readonly RawPath[], between: '/' | '\0' | '' = '/'): RawPath =>
  parts.join(between) as RawPath;

/** The last part. */
export const baseName = (path: RawPath): RawPath => path.slice(path.lastIndexOf('/') + 1);

/** The folder that something lies in. */
export const parentOf = (path: RawPath): RawPath => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Splits a path into its folder and its name. */
export function splitPath(path: RawPath): readonly [folder: RawPath, name: RawPath] {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? [TOP, path] : [path.slice(0, slash), path.slice(slash + 1)];
}

/** What `fs` functions take: the string itself when it is ASCII, else its bytes. */
export function fsPath(raw: RawPath): string | Buffer {
  return NON_ASCII.test(raw) ? bytesOf(raw) : raw;
}

// Control characters, the escape that starts terminal sequences, and bidi overrides, which make names look like others.
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** Text safe to print: the bytes of control and direction characters appear as `\xNN`. */
export function printable(text: Text): string {
  return text.replace(UNPRINTABLE, escapedBytes);
}

/** Each byte of the text as `\xNN`. */
export const escapedBytes = (text: Text): string => escapedRaw(rawFromText(text));

const escapedRaw = (raw: string): string =>
  Array.from(raw, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

// A backslash that would read as the beginning of a byte, and what Node makes of bytes that it cannot decode.
const MISREAD = /\\(?=x[0-9a-f]{2})|\ufffd/gi;

/**
 * A byte string for people: UTF-8 decoded where it is UTF-8, other bytes as `\xNN`. `typedPath` reads it back.
 */
export function displayPath(raw: RawPath): string {
  const text = textFromRaw(raw)?.replace(MISREAD, escapedBytes);
  return printable(text ?? raw.replace(/\\(?=x[0-9a-f]{2})/gi, escapedRaw).replace(NON_ASCII_ALL, escapedRaw));
}

// Paths inside the engine are byte strings: one JavaScript character per byte (latin1), exactly the bytes the file
// system has. They compare in byte order with `<`, cost one byte a character, and keep names that are not UTF-8.
// Only the edges (JSON, the terminal, flags) speak text.

/** A byte string. ASCII text is its own byte string. */
export type RawPath = string;

// eslint-disable-next-line no-control-regex
const NON_ASCII = /[\x80-\xff]/;
// eslint-disable-next-line no-control-regex
const WIDE = /[^\x00-\x7f]/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text to its UTF-8 byte string. */
export function rawFromText(text: string): RawPath {
  return WIDE.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

/** Byte string to text, or undefined when the bytes are not UTF-8. */
export function textFromRaw(raw: RawPath): string | undefined {
  if (!NON_ASCII.test(raw)) return raw;
  try {
    return strictUtf8.decode(Buffer.from(raw, 'latin1'));
  } catch {
    return undefined;
  }
}

/** What `fs` functions take: the string itself when it is ASCII, else its bytes. */
export function fsPath(raw: RawPath): string | Buffer {
  return NON_ASCII.test(raw) ? Buffer.from(raw, 'latin1') : raw;
}

// Control characters, the escape that starts terminal sequences, and the bidi overrides that make names lie.
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]/g;

/** Text safe to print: control and direction characters appear as `\xNN` or `\u{N}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

/** A byte string as a person sees it: UTF-8 decoded where it is UTF-8, other bytes as `\xNN`. */
export function displayPath(raw: RawPath): string {
  return printable(textFromRaw(raw) ?? raw);
}

// Paths as people write them, in arguments and in lines of a shell: `\xNN` is the byte NN, everything else stands for
// itself. `displayPath` writes the same form, so that what is shown can be typed. A backslash that must not begin such a
// byte is `\x5c`. Pure.
import { usageError } from '../failures/errors.js';
import { printable, rawFromLatin1, rawFromText, type RawPath, type Text } from '../paths/raw-path.js';

const BYTE = /\\x([0-9a-f]{2})/gi;
const ESCAPE = /\\(?:x([0-9a-f]{2})|([^]))/gi;

const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/** The bytes that a person means. */
export const typedPath = (text: Text): RawPath =>
  rawFromLatin1(rawFromText(text).replace(BYTE, (_, hex: string) => byteOf(hex)));

/** The same for a part of a glob in which nothing is a pattern: other escapes are taken away, too. */
export const plainGlob = (part: Text): RawPath =>
  rawFromLatin1(
    rawFromText(part).replace(ESCAPE, (_, hex: string | undefined, other = '') =>
      hex === undefined ? String(other) : byteOf(hex),
    ),
  );

/** A glob as bytes, in which `\xNN` is a byte that stands for itself. */
export const typedGlob = (pattern: Text): RawPath =>
  rawFromLatin1(
    rawFromText(pattern).replace(ESCAPE, (escape: string, hex: string | undefined) =>
      hex === undefined ? escape : byteOf(hex).replace(/[!-/:-@[-`{-~]/, '\\$&'),
    ),
  );

const UNDECODED = '\ufffd';

/**
 * Node puts U+FFFD in the place of bytes of an argument that are not UTF-8: such a text may mean another name.
 * @throws usage with the form that can be written instead
 */
export function refuseUndecoded(text: string, where: string): void {
  if (!text.includes(UNDECODED)) return;
  throw usageError(
    `${where} has bytes that are not UTF-8: "${printable(text)}"`,
    `write each of them in hex, as names in an archive are shown, such as '${printable(text.replaceAll(UNDECODED, '\\xff'))}'; U+FFFD itself is \\xef\\xbf\\xbd`,
  );
}

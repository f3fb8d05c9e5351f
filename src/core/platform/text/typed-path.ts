// Parses paths as people write them, in arguments and in shell lines: `\xNN` is the byte NN, everything else is literal. `displayPath`
// writes the same form, so that what is shown can be typed. A backslash that must not begin such a byte is written `\x5c`. Pure.
import { usageError } from '../failures/errors.js';
import { printable, rawFromLatin1, rawFromText, type RawPath, type Text } from '../paths/raw-path.js';

const BYTE = /\\x([0-9a-f]{2})/gi;
const ESCAPE = /\\(?:x([0-9a-f]{2})|([^]))/gi;

const byteOf = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));

/** Returns the bytes that the text stands for. */
export const typedPath = (text: Text): RawPath => typedRaw(rawFromText(text));

/** Returns the bytes that a line of a file stands for; those of other texts are as they are. */
export const typedRaw = (line: RawPath): RawPath =>
  rawFromLatin1((line as string).replace(BYTE, (_, hex: string) => byteOf(hex)));

/** Returns the bytes of a part of a glob that has no patterns: other escapes are removed, too. */
export const plainGlob = (part: Text): RawPath =>
  rawFromLatin1(
    rawFromText(part).replace(ESCAPE, (_, hex: string | undefined, other = '') =>
      hex === undefined ? String(other) : byteOf(hex),
    ),
  );

/** Returns a glob as bytes; `\xNN` is a literal byte in it. */
export const typedGlob = (pattern: Text): RawPath =>
  rawFromLatin1(
    rawFromText(pattern).replace(ESCAPE, (escape: string, hex: string | undefined) =>
      hex === undefined ? escape : byteOf(hex).replace(/[!-/:-@[-`{-~]/, '\\$&'),
    ),
  );

const UNDECODED = '\ufffd';

/**
 * Refuses an argument in which Node has replaced bytes that are not UTF-8 by U+FFFD, because the text may mean another name.
 * @throws usage with the form that can be written instead
 */
export function refuseUndecoded(text: string, where: string): void {
  if (!text.includes(UNDECODED)) return;
  throw usageError(
    `${where} has bytes that are not UTF-8: "${printable(text)}"`,
    `write each of them in hex, as names in an archive are shown, such as '${printable(text.replaceAll(UNDECODED, '\\xff'))}'; U+FFFD itself is \\xef\\xbf\\xbd`,
  );
}

// Decodes files that people provide. Lenient decoding would silently turn bytes that are not UTF-8 into other text: another name, another
// pattern, another value. So they are an error, reported with its line.
import { isUtf8 } from 'node:buffer';

const NEWLINE = 0x0a;
const MARKS: ReadonlySet<string> = new Set(['fffe', 'feff']);

/** The text without a byte order mark, or why and where decoding failed. */
export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/** Decodes bytes that must be UTF-8. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  if (isUtf8(bytes)) return { ok: true, text: new TextDecoder().decode(bytes) };
  if (MARKS.has(Buffer.from(bytes.subarray(0, 2)).toString('hex')))
    return { ok: false, reason: 'is UTF-16 and not UTF-8', line: 1 };
  // No byte of a multi-byte character is a line end, so lines can be checked one by one.
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return { ok: false, reason: 'is not UTF-8', line };
    start = end + 1;
  }
}

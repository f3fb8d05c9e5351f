// Which keys may be ours. A bucket takes nearly any text for a key (`..`, empty parts, control characters), and whoever may write there
// can put such keys beside ours; they are never made into a path, a URL or an id, never deleted, and named once.
import { printable } from '../../platform/paths/raw-path.js';

const MAX_KEY_BYTES = 1024;
/** No folder has a longer name. */
const MAX_PART_BYTES = 255;
/** A character of UTF-16 takes three bytes of UTF-8 at most. */
const SURELY_SHORT = Math.floor(MAX_PART_BYTES / 3);
// Empty parts, `.` and `..`; control characters, characters that XML (in which stores list keys) cannot represent, half characters, and
// the backslash, which separates folders elsewhere.
const ODD =
  // eslint-disable-next-line no-control-regex
  /(?:^|\/)\.{0,2}(?:\/|$)|[\x00-\x1f\x7f-\x9f\\\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Whether archiver may have made a key, or a part of one without the slash at its end. Ids of its parts have rules of their own. */
export function isWellFormedKey(key: string): boolean {
  if (ODD.test(key)) return false;
  if (key.length <= SURELY_SHORT) return true;
  return (
    Buffer.byteLength(key) <= MAX_KEY_BYTES && key.split('/').every((part) => Buffer.byteLength(part) <= MAX_PART_BYTES)
  );
}

const SHOWN = 10;
const SHOWN_LENGTH = 120;

/** The first of some keys, and how many more there are. */
export function keysText(keys: readonly string[]): string {
  const short = (key: string): string => (key.length > SHOWN_LENGTH ? `${key.slice(0, SHOWN_LENGTH)}…` : key);
  const shown = keys.slice(0, SHOWN).map((key) => printable(short(key)));
  return shown.join(', ') + (keys.length > SHOWN ? ` and ${keys.length - SHOWN} more` : '');
}

/** A sentence about keys that archiver cannot have made, or none. */
export const oddTexts = (keys: readonly string[]): readonly string[] =>
  keys.length === 0 ? [] : [`left alone, because archiver makes no such keys: ${keysText(keys)}`];

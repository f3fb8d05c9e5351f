// Bounds a JSON text before `JSON.parse` sees it: how deep it nests, how much memory its values take beside its own length (a text of
// `[],[],` takes forty times that), and that no object has a duplicate key (parsers disagree on which one counts, so such a document is
// refused).
import { integrityError } from '../failures/errors.js';

/**
 * Minimum average number of text bytes for each value of a document. The densest documents that we write have 95 bytes for an object (a
 * frame) and 24 for each of its values. Documents below `FREE_BYTES` may consist of small values.
 */
const BYTES_A_CONTAINER = 40;
const BYTES_A_VALUE = 12;
const FREE_BYTES = 16 * 1024 * 1024;

/** Parses `text`. @throws integrity naming `what` when it is not JSON, nests too deep, or repeats a key */
export function parseBoundedJson(text: string, maxDepth: number, what: string): unknown {
  if (text.charCodeAt(0) === 0xfeff)
    throw integrityError(`${what} begins with a byte order mark, which JSON must not have`);
  checkShape(text, maxDepth, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw integrityError(`${what} is not valid JSON`, { cause: error });
  }
}

const KEY_END = /[\t\n\r ]*:/y;
const [QUOTE, COMMA, LIST, LIST_END, OBJECT, OBJECT_END] = [34, 44, 91, 93, 123, 125];

function checkShape(text: string, maxDepth: number, what: string): void {
  const open: (Set<string> | undefined)[] = [];
  const worth = text.length + FREE_BYTES;
  let containers = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at);
      KEY_END.lastIndex = end;
      if (KEY_END.test(text)) noteKey(open.at(-1), text.slice(at + 1, end - 1), what);
      at = end - 1;
    } else if (code === COMMA) {
      if (++values * BYTES_A_VALUE > worth) throw integrityError(`${what} has too many values for its length: refused`);
    } else if (code === OBJECT || code === LIST) {
      if (++containers * BYTES_A_CONTAINER > worth)
        throw integrityError(`${what} has too many objects and lists for its length: refused`);
      open.push(code === OBJECT ? new Set() : undefined);
      if (open.length > maxDepth) throw integrityError(`${what} nests more than ${maxDepth} levels deep`);
    } else if (code === OBJECT_END || code === LIST_END) {
      open.pop();
    }
  }
}

function noteKey(keys: Set<string> | undefined, written: string, what: string): void {
  if (keys === undefined) return;
  const key = written.includes('\\') ? unescaped(written) : written;
  if (keys.has(key))
    throw integrityError(`${what} has the key ${JSON.stringify(key.slice(0, 60))} twice in one object`);
  keys.add(key);
}

/** Unescapes a key. One that cannot be unescaped is invalid JSON, which is found when it is parsed. */
function unescaped(key: string): string {
  try {
    return String(JSON.parse(`"${key}"`));
  } catch {
    return key;
  }
}

/** Position after the closing quote of the string that opens at `at`. */
function stringEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote >= 0) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

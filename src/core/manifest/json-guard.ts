// Bounds a JSON text before `JSON.parse` sees it: how deep it nests, and that no object names a key twice (parsers
// disagree on which one counts, so a document that does is not believed).
import { integrityError } from '../errors.js';

/** Parses `text`. @throws integrity naming `what` when it is not JSON, nests too deep, or repeats a key */
export function parseBoundedJson(text: string, maxDepth: number, what: string): unknown {
  if (text.charCodeAt(0) === 0xfeff) throw integrityError(`${what} begins with a byte order mark, which JSON must not`);
  checkShape(text, maxDepth, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw integrityError(`${what} is not valid JSON`, { cause: error });
  }
}

const STRUCTURE = /["{}[\]]/g;
const KEY_END = /[\t\n\r ]*:/y;

function checkShape(text: string, maxDepth: number, what: string): void {
  const open: (Set<string> | undefined)[] = [];
  STRUCTURE.lastIndex = 0;
  for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
    const character = match[0];
    if (character === '"') {
      const end = stringEnd(text, match.index);
      KEY_END.lastIndex = end;
      if (KEY_END.test(text)) noteKey(open.at(-1), text.slice(match.index + 1, end - 1), what);
      STRUCTURE.lastIndex = end;
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      if (open.length > maxDepth) throw integrityError(`${what} nests more than ${maxDepth} levels deep`);
    } else {
      open.pop();
    }
  }
}

function noteKey(keys: Set<string> | undefined, key: string, what: string): void {
  if (keys === undefined) return;
  if (keys.has(key))
    throw integrityError(`${what} names the key ${JSON.stringify(key.slice(0, 60))} twice in one object`);
  keys.add(key);
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

// Reads one of DVC's YAML files, as a value with line numbers. Limited to files of 16 MiB, aliases that do not multiply what they name, and
// a depth that fits the stack. Damage is reported in one sentence with file and line.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isScalar, LineCounter, visit, type Document, type ScalarTag, type Tags } from 'yaml';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, errorText, integrityError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';
import { readDocument } from '../../platform/text/yaml-document.js';
import { float, integer, PythonNumber, type Value, isList, isMap, type ValueMap } from './yaml-value.js';

const MAX_BYTES = 16 * 1024 * 1024;

export interface YamlFile {
  readonly value: Value;
  /** MD5 of the file in hex. */
  readonly md5: string;
  /** Makes an error about the value below these keys: `dvc.yaml line 3: …`. */
  problem(keys: readonly string[], message: string): ArchiverError;
}

/** Reads the file; undefined when there is none. @throws io when it cannot be read, integrity when it is damaged */
export async function readYamlFile(path: string): Promise<YamlFile | undefined> {
  const bytes = await readBounded(path);
  if (bytes === undefined) return undefined;
  const text = decoded(bytes, path);
  const lines = new LineCounter();
  const { document, damage } = readDocument(text, { lineCounter: lines, ...VALUES });
  const problemAt = (offset: number, message: string): ArchiverError =>
    damaged(path, message, lines.linePos(offset).line);
  if (damage !== undefined) throw problemAt(damage.offset, `it ${damage.reason}`);
  checkKeys(document, problemAt);
  return {
    value: valueOf(document, path),
    md5: createHash('md5').update(bytes).digest('hex'),
    problem: (keys, message) => problemAt(offsetOf(document, keys), message),
  };
}

async function readBounded(path: string): Promise<Buffer | undefined> {
  try {
    const stats = await stat(path); // check before opening, because a pipe would wait for a writer
    if (!stats.isFile()) throw new ArchiverError('io', `${printable(path)} is not a file`);
    if (stats.size > MAX_BYTES) throw damaged(path, `it has more than ${MAX_BYTES} bytes`);
    return await readFile(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (error instanceof ArchiverError) throw error;
    throw new ArchiverError('io', `cannot read ${printable(path)}: ${reasonText(error)}`, { cause: error });
  }
}

function decoded(bytes: Buffer, path: string): string {
  const decoded = decodeUtf8(bytes);
  if (decoded.ok) return decoded.text;
  throw damaged(path, `it ${decoded.reason}`, decoded.line);
}

function damaged(path: string, message: string, line?: number, cause?: unknown): ArchiverError {
  const place = line === undefined ? printable(path) : `${printable(path)} line ${line}`;
  return integrityError(`${place}: ${printable(message)}`, { hint: 'dvc stage list', cause });
}

const NUMBERS: Readonly<Record<string, (source: string) => PythonNumber>> = {
  'tag:yaml.org,2002:int': integer,
  'tag:yaml.org,2002:float': float,
};

const VALUES = {
  uniqueKeys: false, // would compare every pair of keys; `checkKeys` checks each once
  customTags: (tags: Tags): Tags =>
    tags.map((tag) => {
      const resolve = typeof tag === 'string' ? undefined : NUMBERS[tag.tag];
      return resolve === undefined ? tag : { ...(tag as ScalarTag), resolve };
    }),
};

function checkKeys(document: Document, problemAt: (offset: number, message: string) => ArchiverError): void {
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const text = keyText(key.value);
        if (seen.has(text)) throw problemAt(key.range?.[0] ?? 0, `the key '${text}' stands there twice`);
        seen.add(text);
      }
    },
  });
}

/** Returns the offset of the value below these keys, or of the nearest existing parent. */
function offsetOf(document: Document, keys: readonly string[]): number {
  for (let count = keys.length; count > 0; count--) {
    const node = document.getIn(keys.slice(0, count), true) as { readonly range?: readonly number[] } | undefined;
    if (node?.range !== undefined) return node.range[0] ?? 0;
  }
  return 0;
}

function valueOf(document: Document, path: string): Value {
  try {
    return new Converter().value(document.toJS({ mapAsMap: true, maxAliasCount: -1 }));
  } catch (error) {
    const reason = error instanceof RangeError ? 'it nests too deep' : errorText(error);
    throw damaged(path, reason, undefined, error);
  }
}

// Converts the parser's output to values. The target of an alias is converted once and shared, but counted each time, so that aliases of
// aliases cannot multiply. `<<` merges the keys of another map.

/** Limit of values in a file, with alias targets counted each time: far more than any real file has. */
const MAX_VALUES = 4_000_000;
const MERGE = '<<';

interface Known {
  readonly value: Value;
  readonly count: number;
}

class Converter {
  private count = 0;
  private readonly known = new Map<object, Known>();

  /** Converts maps, lists and single values. @throws Error with a sentence, RangeError when it nests too deep */
  value(raw: unknown): Value {
    this.spend(1);
    if (raw === null || typeof raw === 'string' || typeof raw === 'boolean' || raw instanceof PythonNumber) return raw;
    if (typeof raw !== 'object') throw new TypeError('it holds a value of an unknown kind');
    const known = this.known.get(raw);
    if (known !== undefined) {
      this.spend(known.count);
      return known.value;
    }
    const before = this.count;
    const value = Array.isArray(raw)
      ? raw.map((item) => this.value(item))
      : this.map(raw as ReadonlyMap<unknown, unknown>);
    this.known.set(raw, { value, count: this.count - before });
    return value;
  }

  private map(raw: ReadonlyMap<unknown, unknown>): ValueMap {
    const map = new Map([...raw].map(([key, item]) => [keyText(key), this.value(item)] as const));
    const merged = map.get(MERGE);
    if (merged === undefined) return map;
    map.delete(MERGE);
    for (const source of isList(merged) ? merged : [merged]) {
      if (!isMap(source)) throw new TypeError(`'${MERGE}' names something that is no map`);
      this.spend(source.size);
      for (const [key, item] of source) if (!map.has(key)) map.set(key, item);
    }
    return map;
  }

  private spend(count: number): void {
    this.count += count;
    if (this.count > MAX_VALUES)
      throw new Error(`it holds more than ${MAX_VALUES} values, those of its aliases counted`);
  }
}

/** Returns a key as text. */
function keyText(key: unknown): string {
  if (key instanceof PythonNumber) return key.text;
  return typeof key === 'string' ? key : JSON.stringify(key);
}

// From what the YAML parser gives to values. What aliases name is converted once and shared, but counted each time, so that
// aliases of aliases cannot multiply. `<<` takes in the keys of another map.
import { isList, isMap, PythonNumber, type Value, type ValueMap } from './yaml-value.js';

/** Of a whole file, with what its aliases name: far more than any real one has. */
const MAX_VALUES = 4_000_000;
const MERGE = '<<';

interface Known {
  readonly value: Value;
  readonly count: number;
}

export class Converter {
  private count = 0;
  private readonly known = new Map<object, Known>();

  /** Converts maps, lists and single values. @throws Error with a sentence, RangeError where it nests too deep */
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

/** A key as a text. */
export function keyText(key: unknown): string {
  if (key instanceof PythonNumber) return key.text;
  return typeof key === 'string' ? key : JSON.stringify(key);
}

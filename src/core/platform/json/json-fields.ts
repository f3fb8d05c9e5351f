// Typed reads from parsed, untrusted JSON. Only own properties count, so `__proto__` is a key like any other.
import { integrityError } from '../failures/errors.js';
import { type RawPath, rawFromText, rawFromBase64 } from '../paths/raw-path.js';

/** One object of a document, with the words that name it in messages. */
export class Fields {
  private readonly source: Readonly<Record<string, unknown>>;
  readonly what: string;

  /** @throws integrity when `value` is not an object */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw integrityError(`${what} is not an object`);
    this.source = value as Readonly<Record<string, unknown>>;
    this.what = what;
  }

  get(key: string): unknown {
    return Object.hasOwn(this.source, key) ? this.source[key] : undefined;
  }

  fail(key: string, expected: string): never {
    throw integrityError(`'${key}' of ${this.what} is not ${expected}`);
  }

  text(key: string): string {
    const value = this.get(key);
    return typeof value === 'string' ? value : this.fail(key, 'a text');
  }

  optionalText(key: string): string | undefined {
    return this.get(key) === undefined || this.get(key) === null ? undefined : this.text(key);
  }

  /** A whole number from 0 to `max`. */
  count(key: string, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.get(key);
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > max) {
      return this.fail(key, `a whole number from 0 to ${max}`);
    }
    return value;
  }

  sha256(key: string): string {
    const value = this.text(key);
    return /^[0-9a-f]{64}$/.test(value) ? value : this.fail(key, 'a SHA-256 in hex');
  }

  flag(key: string): boolean {
    const value = this.get(key);
    return typeof value === 'boolean' ? value : this.fail(key, 'true or false');
  }

  object(key: string): Fields {
    return new Fields(this.get(key), `'${key}' of ${this.what}`);
  }

  list(key: string): readonly unknown[] {
    const value = this.get(key);
    return Array.isArray(value) ? value : this.fail(key, 'a list');
  }

  /** `key` as text, or `keyBase64` as bytes. */
  raw(key: string): RawPath {
    const bytes = this.optionalText(`${key}Base64`);
    return bytes === undefined ? rawFromText(this.text(key)) : rawFromBase64(bytes);
  }

  /** The object as it is. */
  own(): Readonly<Record<string, unknown>> {
    return this.source;
  }

  /** Every own property that is a text. */
  texts(): Readonly<Record<string, string>> {
    const pairs = Object.entries(this.source).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return Object.fromEntries(pairs);
  }
}

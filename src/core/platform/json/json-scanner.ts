// Reads one line of JSON held as bytes (latin1). Strings without escapes are returned as they are, so a path is its
// UTF-8 byte string without being decoded and encoded again. Nothing recurses deeper than `MAX_DEPTH`.
import { integrityError } from '../failures/errors.js';
import { type RawPath, rawFromText, bytesOf, TOP } from '../paths/raw-path.js';

const MAX_DEPTH = 16;
const QUOTE = 34;
const BACKSLASH = 92;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export class JsonScanner {
  private text: RawPath = TOP;
  private at = 0;
  private hasEscapes = false;

  /** Starts over with a new line. */
  open(text: RawPath): void {
    this.text = text;
    this.at = 0;
    this.hasEscapes = text.includes('\\');
  }

  fail(what: string): never {
    throw integrityError(what);
  }

  private peek(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 32 && code !== 9 && code !== 13 && code !== 10) return code;
      this.at++;
    }
  }

  /** Consumes this punctuation if it comes next. */
  take(character: string): boolean {
    if (this.peek() !== character.charCodeAt(0)) return false;
    this.at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) this.fail(`a '${character}' is missing`);
  }

  isAtEnd(): boolean {
    return Number.isNaN(this.peek());
  }

  /** A string as bytes. */
  raw(): RawPath {
    if (this.peek() !== QUOTE) this.fail('a text is missing');
    const start = this.at + 1;
    let end = this.text.indexOf('"', start);
    if (this.hasEscapes) while (end >= 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) this.fail('a text has no end');
    this.at = end + 1;
    const body = this.text.slice(start, end);
    return this.hasEscapes && body.includes('\\') ? this.unescape(body) : body;
  }

  private isEscaped(quote: number): boolean {
    let slashes = 0;
    while (this.text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    return slashes % 2 === 1;
  }

  private unescape(body: RawPath): RawPath {
    let value: unknown;
    try {
      value = JSON.parse(`"${bytesOf(body).toString('utf8')}"`);
    } catch {
      return this.fail('a text has a wrong escape');
    }
    const text = String(value);
    if (LONE_SURROGATE.test(text)) this.fail('a text has half of a surrogate pair');
    return rawFromText(text);
  }

  /** A whole number from 0 to 2^53 - 1. */
  count(): number {
    this.peek();
    const start = this.at;
    let value = 0;
    for (;;) {
      const digit = this.text.charCodeAt(this.at) - 48;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      this.at++;
    }
    const next = this.text.charCodeAt(this.at);
    const isPlain = next === 44 || next === 125 || next === 93 || next === 32; // , } ] space
    if (this.at === start || this.at - start > 16 || !isPlain || !Number.isSafeInteger(value)) {
      this.fail('a number is not a whole number from 0 to 2^53 - 1');
    }
    return value;
  }

  boolean(): boolean {
    this.peek();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    return this.fail('a value is not true or false');
  }

  /** Calls `item` for each element of a list. */
  list(item: () => void): void {
    this.expect('[');
    if (this.take(']')) return;
    do item();
    while (this.take(','));
    this.expect(']');
  }

  /** Calls `member` for each key of an object, positioned at its value. */
  object(member: (key: RawPath) => void): void {
    this.expect('{');
    if (this.take('}')) return;
    do {
      const key = this.raw();
      this.expect(':');
      member(key);
    } while (this.take(','));
    this.expect('}');
  }

  /**
   * As `object`, of which keys are mostly some of `known` in their order: `take` is called with their position there, `other` with any other
   * key. `known` are keys as they are written, with quotes and colon.
   */
  objectOf(known: readonly string[], take: (position: number) => void, other: (key: RawPath) => void): void {
    this.expect('{');
    if (this.take('}')) return;
    let next = 0;
    do {
      const position = this.keyFrom(known, next);
      if (position >= 0) {
        take(position);
        next = position + 1;
        continue;
      }
      const key = this.raw();
      this.expect(':');
      other(key);
    } while (this.take(','));
    this.expect('}');
  }

  /** Consumes one of these keys, from `first` on, and its colon, if it comes next; returns its position, or -1. */
  private keyFrom(known: readonly string[], first: number): number {
    const { text, at } = this;
    const code = text.charCodeAt(at + 1);
    for (let position = first; position < known.length; position++) {
      const key = known[position] ?? '';
      if (key.charCodeAt(1) !== code || !text.startsWith(key, at)) continue;
      this.at = at + key.length;
      return position;
    }
    return -1;
  }

  /** Skips any value. */
  skip(depth = 0): void {
    if (depth > MAX_DEPTH) this.fail(`it nests more than ${MAX_DEPTH} levels deep`);
    const code = this.peek();
    if (code === QUOTE) this.skipText();
    else if (code === 123) this.object(() => this.skip(depth + 1));
    else if (code === 91) this.list(() => this.skip(depth + 1));
    else this.skipWord();
  }

  private skipText(): void {
    const end = this.hasEscapes ? -1 : this.text.indexOf('"', this.at + 1);
    if (end < 0) this.raw();
    else this.at = end + 1;
  }

  private skipWord(): void {
    const start = this.at;
    while (/[-+.0-9a-zA-Z]/.test(this.text.charAt(this.at))) this.at++;
    const word = this.text.slice(start, this.at);
    if (!/^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(word)) this.fail('a value is not JSON');
  }
}

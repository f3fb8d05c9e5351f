// Parses regular expressions of JavaScript (flag u) into a tree, as far as they can be matched in one pass over a text: no lookaround and
// no back reference. What one character may be is left to the engine of JavaScript itself, a character at a time.
import { errorText, usageError } from '../failures/errors.js';

export type RegexNode =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'edge' | 'noEdge' }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexNode; readonly least: number; readonly most: number };

const ESCAPE =
  /\\(?:u\{[0-9a-f]+\}|ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|.)/isuy;
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/uy;
const ASSERTIONS = { '^': 'start', $: 'end', '\\b': 'edge', '\\B': 'noEdge' } as const;

/** Parses the text of a regular expression. @throws usage for one that is not valid, or looks around or back */
export function parseRegex(source: string, name: string): RegexNode {
  refuseInvalid(source, name);
  return new Parser(source, name).parse();
}

function refuseInvalid(source: string, name: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw usageError(`${name} is no regular expression: ${errorText(error)}`);
  }
}

/** Reads a text that is known to be valid. */
class Parser {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly name: string,
  ) {}

  parse(): RegexNode {
    const branches: RegexNode[] = [];
    let parts: RegexNode[] = [];
    const branch = (): void => void branches.push({ kind: 'all', parts });
    for (; this.at < this.source.length && this.source[this.at] !== ')';) {
      if (this.source[this.at] === '|') {
        this.at++;
        branch();
        parts = [];
      } else parts.push(this.repeated(this.atom()));
    }
    branch();
    return { kind: 'any', parts: branches };
  }

  /** Returns what a pattern finds right here, and moves behind it. */
  private read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source) ?? undefined;
    if (found !== undefined) this.at += found[0].length;
    return found;
  }

  private repeated(part: RegexNode): RegexNode {
    const found = this.read(QUANTIFIER);
    if (found === undefined) return part;
    const [, sign, least = '0', comma, most] = found;
    if (sign !== undefined)
      return { kind: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const limit = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', part, least: Number(least), most: limit };
  }

  private atom(): RegexNode {
    const text = this.source[this.at] ?? '';
    if (text === '(') return this.group();
    const [token = ''] = this.read(text === '\\' ? ESCAPE : text === '[' ? CLASS : /[^]/uy) ?? [];
    const what = Object.entries(ASSERTIONS).find(([sign]) => sign === token)?.[1];
    if (what !== undefined) return { kind: 'assert', what };
    if (/^\\[1-9k]/.test(token)) this.refuse('refers back to a group');
    if (token === '.' || text === '\\' || text === '[') {
      const pattern = new RegExp(`^(?:${token})$`, 'u');
      return { kind: 'one', test: (character) => pattern.test(character) };
    }
    return { kind: 'one', test: (character) => character === token };
  }

  private group(): RegexNode {
    if (this.read(GROUP) === undefined) this.refuse('looks around, or has flags in a group');
    const part = this.parse();
    this.at++;
    return part;
  }

  private refuse(what: string): never {
    throw usageError(
      `${this.name} ${what}, which is not supported: paths are matched in one pass, so that no expression takes long`,
    );
  }
}

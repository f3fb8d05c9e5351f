// Parses YAML that people wrote: a single document, without guessing or output from the parser, reporting the first error with its
// position.
import {
  Composer,
  type Document,
  type DocumentOptions,
  type LineCounter,
  Parser,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml';

export interface YamlDamage {
  readonly offset: number;
  /** Follows `it` or `the file`. */
  readonly reason: string;
}

export type YamlRead =
  | { readonly document: Document.Parsed; readonly damage: undefined }
  | { readonly document: undefined; readonly damage: YamlDamage };

/** Limit of nesting; files of people have about ten levels. */
const MAX_DEPTH = 200;

type Options = ParseOptions & DocumentOptions & SchemaOptions & { readonly lineCounter?: LineCounter };

/** Returns the only document of a text, or what is wrong with it. */
export function readDocument(text: string, options: Options = {}): YamlRead {
  const composer = new Composer({ ...options, logLevel: 'error' });
  try {
    const tokens = new ShallowParser(options.lineCounter?.addNewLine).parse(text);
    const [document, second] = composer.compose(tokens, true, text.length) as Iterable<Document.Parsed>;
    if (document === undefined) throw new Error('a text is at least an empty document');
    const damage = damageOf(document, second);
    return damage === undefined ? { document, damage } : { document: undefined, damage };
  } catch (error) {
    if (error instanceof NestsTooDeep) return { document: undefined, damage: error };
    throw error;
  }
}

class NestsTooDeep extends Error implements YamlDamage {
  readonly reason = 'nests too deep';
  constructor(readonly offset: number) {
    super();
  }
}

/**
 * Limits the depth, because composing the tokens is recursive, and V8 ends the process when it has to compile an expression near the end of
 * the stack.
 */
class ShallowParser extends Parser {
  override *next(source: string) {
    if (this.stack.length > MAX_DEPTH) throw new NestsTooDeep(this.offset);
    yield* super.next(source);
  }
}

function damageOf({ errors, warnings }: Document.Parsed, second: Document.Parsed | undefined): YamlDamage | undefined {
  // A warning (an unknown tag) means that a value is not what it looks like.
  const damage = errors[0] ?? warnings[0];
  if (damage !== undefined)
    return { offset: damage.pos[0], reason: `is not valid YAML: ${damage.message.split('\n')[0] ?? ''}` };
  if (second !== undefined)
    return { offset: second.range[0], reason: 'holds a second document, which begins here: keep one' };
  return undefined;
}

// What a line of the shell says: words, a pipe, a file. Quotes and backslashes work as people know them from sh; variables,
// substitutions and lists of commands are not part of it. Pure.
import { usageError } from '../failures/errors.js';

export type Quote = '"' | "'";

export interface Word {
  /** Without quotes. */
  readonly text: string;
  /** For a word with `*`, `?`, `[` or `{` outside of quotes: the glob, in which everything quoted stands for itself. */
  readonly glob: string | undefined;
  /** Where it begins and ends in the line, quotes included. */
  readonly start: number;
  readonly end: number;
}

export interface CommandLine {
  readonly words: readonly Word[];
  /** A command for the system's shell that reads what this one prints; to the end of the line. */
  readonly pipe: string | undefined;
  /** A file of this computer that takes what is printed. */
  readonly target: { readonly file: string; readonly isAppended: boolean } | undefined;
}

export interface ScannedLine {
  readonly words: readonly Word[];
  /** The quote that is not closed. */
  readonly openQuote: Quote | undefined;
  /** Where the operator stands that ended the words: `|`, `>` or `#`. */
  readonly operator: number | undefined;
}

const MAKES_GLOB = new Set(['*', '?', '[', '{']);
/** What may stand in a glob as it is; `(`, `+` and `@` are no patterns here, and `!` only within brackets. */
const STANDS_FOR_ITSELF = /[^*?[\]{}()!+@\\]/;
const MEANS_SOMETHING = /[*?[\]{}!]/;

/** A word that grows character by character. */
class OpenWord {
  private text = '';
  private glob = '';
  private isGlob = false;

  constructor(private readonly start: number) {}

  literal(character: string): void {
    this.text += character;
    this.glob += STANDS_FOR_ITSELF.test(character) ? character : `\\${character}`;
  }

  plain(character: string): void {
    if (!MEANS_SOMETHING.test(character) || (character === '!' && this.glob === '')) {
      this.literal(character);
      return;
    }
    this.text += character;
    this.glob += character;
    if (MAKES_GLOB.has(character)) this.isGlob = true;
  }

  close(end: number): Word {
    // A byte is one in globs, too, quoted or not.
    const glob = this.glob.replaceAll(/\\\\(?=x[0-9a-f]{2})/gi, '\\');
    return { text: this.text, glob: this.isGlob ? glob : undefined, start: this.start, end };
  }
}

/** Within double quotes a backslash stands for itself before anything but these; without, where it begins a byte: `\xff`. */
const isEscape = (rest: string, quote: Quote | undefined): boolean =>
  quote === undefined ? rest !== '' && !/^x[0-9a-f]{2}/i.test(rest) : /^["\\]/.test(rest);

const isOperator = (character: string, isInWord: boolean): boolean =>
  character === '|' || character === '>' || (character === '#' && !isInWord);

/** The words up to the first operator; what is open at the end counts as closed there. */
export function scanLine(line: string): ScannedLine {
  const words: Word[] = [];
  let index = 0;
  for (;;) {
    while (/\s/.test(line.charAt(index))) index++;
    if (index >= line.length) return { words, openQuote: undefined, operator: undefined };
    if (isOperator(line.charAt(index), false)) return { words, openQuote: undefined, operator: index };
    const { word, openQuote } = scanWord(line, index);
    words.push(word);
    if (openQuote !== undefined) return { words, openQuote, operator: undefined };
    index = word.end;
  }
}

function scanWord(line: string, start: number): { readonly word: Word; readonly openQuote: Quote | undefined } {
  const word = new OpenWord(start);
  let quote: Quote | undefined;
  let index = start;
  for (; index < line.length; index++) {
    const character = line.charAt(index);
    if (quote === undefined && (/\s/.test(character) || isOperator(character, true))) break;
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) quote = character;
    else if (character === '\\' && quote !== "'" && isEscape(line.slice(index + 1, index + 4), quote))
      word.literal(line.charAt(++index));
    else if (quote === undefined) word.plain(character);
    else word.literal(character);
  }
  return { word: word.close(index), openQuote: quote };
}

/** Takes a line apart. @throws usage for an open quote, and for an operator without what it needs */
export function parseCommandLine(line: string): CommandLine {
  const { words, openQuote, operator } = scanLine(line);
  if (openQuote !== undefined) throw usageError(`the quote ${openQuote} is not closed`);
  const nothing = { words, pipe: undefined, target: undefined };
  if (operator === undefined || line.charAt(operator) === '#') return nothing;
  if (words.length === 0) throw usageError(`there is no command before ${line.charAt(operator)}`);
  if (line.charAt(operator) === '>') return { ...nothing, target: targetOf(line.slice(operator + 1)) };
  const pipe = line.slice(operator + 1).trim();
  if (pipe === '') throw usageError('there is no command after |', 'such as | less');
  return { ...nothing, pipe };
}

function targetOf(rest: string): CommandLine['target'] {
  const isAppended = rest.startsWith('>');
  const named = isAppended ? rest.slice(1) : rest;
  const { words, openQuote, operator } = scanLine(named);
  const [file, more] = words;
  const hasMore = more !== undefined || (operator !== undefined && named.charAt(operator) !== '#');
  if (openQuote !== undefined) throw usageError(`the quote ${openQuote} is not closed`);
  if (file === undefined || file.text === '') throw usageError('there is no file after >');
  if (hasMore) throw usageError('> wants one file at the end of the line');
  return { file: file.text, isAppended };
}

/** The text as one word that can be typed. */
export const quoteWord = (text: string): string =>
  text === '' ? "''" : text.replaceAll(/[\s"'\\|>#*?[\]{}()!$&;<`]/g, (character) => `\\${character}`);

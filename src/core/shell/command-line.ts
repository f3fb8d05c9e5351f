// Parses a line of the shell: commands, their words, a pipe, a file. Quotes and backslashes work as in sh; variables and substitutions are
// not supported. Pure.
import { usageError } from '../platform/failures/errors.js';

export type Quote = '"' | "'";

export interface Word {
  /** The word without quotes. */
  readonly text: string;
  /** Set for a word with `*`, `?`, `[` or `{` outside of quotes: the glob, with quoted characters escaped. */
  readonly glob: string | undefined;
  /** Position in the line, including quotes. */
  readonly start: number;
  readonly end: number;
}

export interface CommandLine {
  readonly words: readonly Word[];
  /** A command for the system's shell that reads the output; extends to the end of the line. */
  readonly pipe: string | undefined;
  /** A local file that gets the output. */
  readonly target: { readonly file: string; readonly isAppended: boolean } | undefined;
}

export interface ScannedLine {
  readonly words: readonly Word[];
  /** The quote that was not closed. */
  readonly openQuote: Quote | undefined;
  /** Position of the operator that ended the words: `;`, `|`, `>` or `#`. */
  readonly operator: number | undefined;
}

const MAKES_GLOB = new Set(['*', '?', '[', '{']);
/** Characters that need no escape in a glob; `(`, `+` and `@` are no patterns here, and `!` only within brackets. */
const NOT_SPECIAL = /[^*?[\]{}()!+@\\]/;
const GLOB_SYNTAX = /[*?[\]{}!]/;

/** A word that is built character by character. */
class OpenWord {
  private text = '';
  private glob = '';
  private isGlob = false;

  constructor(private readonly start: number) {}

  literal(character: string): void {
    this.text += character;
    this.glob += NOT_SPECIAL.test(character) ? character : `\\${character}`;
  }

  plain(character: string): void {
    if (!GLOB_SYNTAX.test(character) || (character === '!' && this.glob === '')) {
      this.literal(character);
      return;
    }
    this.text += character;
    this.glob += character;
    if (MAKES_GLOB.has(character)) this.isGlob = true;
  }

  close(end: number): Word {
    // `\xNN` is a byte in globs, too, quoted or not.
    const glob = this.glob.replaceAll(/\\\\(?=x[0-9a-f]{2})/gi, '\\');
    return { text: this.text, glob: this.isGlob ? glob : undefined, start: this.start, end };
  }
}

/** Within double quotes a backslash escapes only these characters; outside, it escapes any character unless it begins a byte: `\xff`. */
const isEscape = (rest: string, quote: Quote | undefined): boolean =>
  quote === undefined ? rest !== '' && !/^x[0-9a-f]{2}/i.test(rest) : /^["\\]/.test(rest);

const isOperator = (character: string, isInWord: boolean): boolean =>
  character === ';' || character === '|' || character === '>' || (character === '#' && !isInWord);

/** Scans words up to the first operator; an open quote ends at the end of the line. */
function scanLine(line: string, from: number): ScannedLine {
  const words: Word[] = [];
  let index = from;
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

/** Scans the last command of a line, up to the cursor, for completion. */
export function scanLastCommand(line: string): ScannedLine {
  let scanned = scanLine(line, 0);
  while (scanned.operator !== undefined && line.charAt(scanned.operator) === ';')
    scanned = scanLine(line, scanned.operator + 1);
  return scanned;
}

/**
 * Parses the commands of a line, which `;` separates; none for an empty line. @throws usage for an open quote, and for an incomplete
 * operator
 */
export function parseLine(line: string): readonly CommandLine[] {
  const commands: CommandLine[] = [];
  for (let from = 0; from < line.length;) {
    const { command, end } = parseCommand(line, from);
    if (command.words.length > 0) commands.push(command);
    from = end;
  }
  return commands;
}

function parseCommand(line: string, from: number): { readonly command: CommandLine; readonly end: number } {
  const { words, openQuote, operator = line.length } = scanLine(line, from);
  if (openQuote !== undefined) throw usageError(`the quote ${openQuote} is not closed`);
  const command = { words, pipe: undefined, target: undefined };
  const sign = line.charAt(operator);
  if (ENDS_LINE.has(sign)) return { command, end: line.length };
  if (words.length === 0) throw usageError(`there is no command before ${sign}`);
  if (sign === ';') return { command, end: operator + 1 };
  if (sign === '>') {
    const { end, ...target } = targetOf(line, operator + 1);
    return { command: { ...command, target }, end };
  }
  const pipe = line.slice(operator + 1).trim();
  if (pipe === '') throw usageError('there is no command after |', 'such as | less');
  return { command: { ...command, pipe }, end: line.length };
}

/** The end of the line, and a comment. */
const ENDS_LINE = new Set(['', '#']);

function targetOf(line: string, from: number): NonNullable<CommandLine['target']> & { readonly end: number } {
  const isAppended = line.charAt(from) === '>';
  const { words, openQuote, operator = line.length } = scanLine(line, isAppended ? from + 1 : from);
  const [file, more] = words;
  const sign = line.charAt(operator);
  if (openQuote !== undefined) throw usageError(`the quote ${openQuote} is not closed`);
  if (file === undefined || file.text === '') throw usageError('there is no file after >');
  if (more !== undefined || (sign !== ';' && !ENDS_LINE.has(sign)))
    throw usageError('> wants one file at the end of the command');
  return { file: file.text, isAppended, end: sign === ';' ? operator + 1 : line.length };
}

/** Quotes the text as one word that can be typed. */
export const quoteWord = (text: string): string =>
  text === '' ? "''" : text.replaceAll(/[\s"'\\|>#*?[\]{}()!$&;<`]/g, (character) => `\\${character}`);

// Options of the commands of the archive shell, as people type them elsewhere: `-la`, `-n 5`, `-n5`, `-5`, `-name GLOB`, `--` before names.
// What a command does not have is refused, never skipped. Pure.
import { usageError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import type { Word } from './command-line.js';

export interface OptionSpec {
  /** As it is typed: `-l`; `-name`, `--help`. Those of one letter can be bundled where a command has only such. */
  readonly name: string;
  /** What its value is called in the help; an option without it takes none. */
  readonly value?: string;
  /** The values that there are, where they are few. */
  readonly values?: readonly string[];
  /** Whether `-20` is `-n 20`. */
  readonly isNumber?: boolean;
  readonly describe: string;
}

export interface GivenOption {
  readonly name: string;
  readonly value: Word;
}

/** Options in the order in which they are given. */
export class GivenOptions {
  constructor(readonly list: readonly GivenOption[]) {}

  has(name: string): boolean {
    return this.list.some((one) => one.name === name);
  }

  /** The value of an option; the last one that is given counts. */
  value(name: string): Word | undefined {
    return this.list.findLast((one) => one.name === name)?.value;
  }

  /** Which of these is given last. */
  last<T extends string>(...names: readonly T[]): T | undefined {
    return names.find((name) => name === this.list.findLast((one) => names.some((known) => known === one.name))?.name);
  }

  /** The value of an option as a whole number. @throws usage for anything else */
  count(name: string, what: string): number | undefined {
    const text = this.value(name)?.text;
    return text === undefined ? undefined : countOf(text, `${name} wants ${what}`);
  }
}

/** Returns a whole number of 0 or more. @throws usage for anything else */
export function countOf(text: string, wanted: string): number {
  if (!/^\d{1,15}$/.test(text)) throw usageError(`${wanted}, not '${printable(text)}'`);
  return Number(text);
}

export interface ParsedOptions {
  readonly options: GivenOptions;
  /** Words that are no options. */
  readonly args: readonly Word[];
  /** The option at the end that its value has not followed yet. */
  readonly open: OptionSpec | undefined;
  /** Whether `--` has said that all further words are names. */
  readonly areOver: boolean;
}

const NO_VALUE: Word = { text: '', glob: undefined, start: 0, end: 0 };

interface Found {
  readonly spec: OptionSpec;
  /** The value that is a part of the word. */
  readonly value: string | undefined;
}

/**
 * Tells options from other words. @throws usage for one that is not in `specs`, unless the line is still being typed (`isLenient`): then it
 * is passed over
 */
export function parseOptions(
  words: readonly Word[],
  command: string,
  specs: readonly OptionSpec[],
  { isLenient = false }: { readonly isLenient?: boolean } = {},
): ParsedOptions {
  const list: GivenOption[] = [];
  const args: Word[] = [];
  let open: OptionSpec | undefined;
  let areOver = false;
  for (const word of words) {
    if (open !== undefined) {
      list.push({ name: open.name, value: word });
      open = undefined;
    } else if (areOver || !/^-./.test(word.text)) args.push(word);
    else if (word.text === '--') areOver = true;
    else {
      const found = optionsIn(word.text, specs);
      if (typeof found === 'string' && !isLenient) throw unknownOption(found, command, specs);
      for (const { spec, value } of typeof found === 'string' ? [] : found) {
        if (spec.value !== undefined && value === undefined) open = spec;
        else list.push({ name: spec.name, value: value === undefined ? NO_VALUE : { ...NO_VALUE, text: value } });
      }
    }
  }
  return { options: new GivenOptions(list), args, open, areOver };
}

/** Returns the options of a word, or the one that is not known. */
function optionsIn(text: string, specs: readonly OptionSpec[]): readonly Found[] | string {
  const whole = specs.find(({ name }) => name === text);
  if (whole !== undefined) return [{ spec: whole, value: undefined }];
  const [, long = '', given] = /^(--[^=]+)=(.*)$/s.exec(text) ?? [];
  const assigned = specs.find(({ name, value }) => name === long && value !== undefined);
  if (assigned !== undefined) return [{ spec: assigned, value: given }];
  const numbered = /^-\d+$/.test(text) ? specs.find(({ isNumber }) => isNumber) : undefined;
  if (numbered !== undefined) return [{ spec: numbered, value: text.slice(1) }];
  const isBundle = !text.startsWith('--') && specs.length > 0 && specs.every(({ name }) => /^-.$|^--/.test(name));
  if (!isBundle) return text;
  const found: Found[] = [];
  for (let at = 1; at < text.length; at++) {
    const spec = specs.find(({ name }) => name === `-${text.charAt(at)}`);
    if (spec === undefined) return `-${text.charAt(at)}`;
    const rest = text.slice(at + 1);
    found.push({ spec, value: spec.value === undefined || rest === '' ? undefined : rest });
    if (spec.value !== undefined) break;
  }
  return found;
}

function unknownOption(text: string, command: string, specs: readonly OptionSpec[]): Error {
  const names = specs.map(({ name, value }) => (value === undefined ? name : `${name} ${value}`));
  const has = names.length === 0 ? `${command} has no options` : `it has ${names.join(', ')}`;
  const option = printable(text);
  return usageError(
    names.length === 0 ? `${has}, such as ${option}` : `${command} has no option ${option}; ${has}`,
    `help ${command}; a name that begins with - is typed ./${option}`,
  );
}

/** Refuses an option whose value is missing. @throws usage */
export function refuseOpen(open: OptionSpec | undefined): void {
  if (open !== undefined) throw usageError(`${open.name} wants ${open.value ?? 'a value'} behind it`);
}

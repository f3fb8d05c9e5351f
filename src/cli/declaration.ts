// A command as data. Help, parsing, completion, docs and the contract tests read it.
import type { Args, ArgValues } from './arg.js';
import type { Flags, Values } from './flag.js';
import type { Globals } from './globals.js';
import type { Rule } from './rule.js';

export interface Declaration<F extends Flags = Flags, A extends Args = Args> {
  /** The words that call it, separated by one space: `restore jobs list`. */
  readonly path: string;
  /** One line, no full stop. */
  readonly summary: string;
  /** Paragraphs for its help page. */
  readonly description?: string;
  readonly args?: A;
  readonly flags?: F;
  readonly rules?: readonly Rule<keyof F & string, Values<F>, ArgValues<A>>[];
  /** Whole command lines, each starting with `archiver`. */
  readonly examples: readonly string[];
  /** What each exit status means; 2 and 130 are added by the framework. */
  readonly exits: Readonly<Record<number, string>>;
  /** Whether --memory-limit bounds a call with these values; without it, it is refused. */
  keepsMemoryLimit?(values: Values<F>): boolean;
  /** What it uses of stores goes to the ledger (docs/decisions/032). */
  readonly isRecorded?: boolean;
  /** The command works on the config file itself: a broken one must not stop it. */
  readonly ignoresConfigFile?: boolean;
  /** It draws on the whole terminal, where nothing else may be written meanwhile. */
  readonly hasScreen?: boolean;
  /** What every command of its program has; the tree sets it. */
  readonly globals?: Globals;
}

/** A group of commands has a line of its own in help. */
export interface Group {
  readonly path: string;
  readonly summary: string;
}

/** The words of a command. */
export const wordsOf = (path: string): readonly string[] => (path === '' ? [] : path.split(' '));

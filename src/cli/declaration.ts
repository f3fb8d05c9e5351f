// A command as data. Help, parsing, completion, docs and the contract tests read it.
import type { Args, ArgValues } from './arg.js';
import type { Flags, Values } from './flag.js';
import type { Globals } from './globals.js';
import type { Rule } from './rule.js';

export interface Declaration<F extends Flags = Flags, A extends Args = Args> {
  /** Words of the command, separated by one space: `restore jobs list`. */
  readonly path: string;
  /** One line, without full stop. */
  readonly summary: string;
  /** Paragraphs for the help page. */
  readonly description?: string;
  readonly args?: A;
  readonly flags?: F;
  readonly rules?: readonly Rule<keyof F & string, Values<F>, ArgValues<A>>[];
  /** Whole command lines, each starting with `archiver`. */
  readonly examples: readonly string[];
  /** Meaning of each exit status; 2 and 130 are added by the framework. */
  readonly exits: Readonly<Record<number, string>>;
  /** Returns whether --memory-limit limits a call with these values; otherwise the flag is refused. */
  keepsMemoryLimit?(values: Values<F>): boolean;
  /** Returns whether days are those of UTC for these values, as with --utc. */
  usesUtc?(values: Values<F>): boolean;
  /** Records in the ledger what the command uses of stores (docs/decisions/032). */
  readonly isRecorded?: boolean;
  /** True for a command about the config file itself: a broken one must not stop it. */
  readonly ignoresConfigFile?: boolean;
  /** True if the command draws on the whole terminal, where nothing else may be written meanwhile. */
  readonly hasScreen?: boolean;
  /** Flags and settings of every command in the program; the tree sets them. */
  readonly globals?: Globals;
}

/** A group of commands, with a line of its own in help. */
export interface Group {
  readonly path: string;
  readonly summary: string;
}

/** Splits a path into the words of the command. */
export const wordsOf = (path: string): readonly string[] => (path === '' ? [] : path.split(' '));

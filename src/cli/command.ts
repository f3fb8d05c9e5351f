// A command is data, and one `run`. Help, parsing, completion, docs and the contract tests all read the data; heavy
// imports happen inside `run`.
import type { Args, ArgValues } from './arg.js';
import type { Context } from './context.js';
import type { Flags, Values } from './flag.js';
import type { Rule } from './rule.js';

export interface Command<F extends Flags = Flags, A extends Args = Args, C = Context> {
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
  /** The command works on the config file itself: a broken one must not stop it. */
  readonly ignoresConfigFile?: boolean;
  /** The exit status; nothing means 0. */
  run(values: Values<F>, args: ArgValues<A>, context: C): Promise<number | void>;
}

/**
 * Declares a command; exists so that the types of values and arguments follow from the data. `C` is what `run` uses of
 * the context, as the type of its last parameter says: whoever calls it, such as a test, gives only that.
 */
export const defineCommand = <const F extends Flags, const A extends Args = readonly [], C = Context>(
  command: Command<F, A, C>,
): Command<F, A, C> => command;

/** A group of commands has a line of its own in help. */
export interface Group {
  readonly path: string;
  readonly summary: string;
}

/** The words of a command. */
export const wordsOf = (path: string): readonly string[] => (path === '' ? [] : path.split(' '));

// A command is data (declaration.ts), and one `run`. Heavy imports happen inside `run`.
import type { Args, ArgValues } from './arg.js';
import type { Document, Exact } from '../json/documents.js';
import type { Context, ResultsOf } from './context.js';
import type { Declaration } from './declaration.js';
import type { Flags, Values } from './flag.js';

export interface Command<F extends Flags = Flags, A extends Args = Args, C = Context<string>> extends Declaration<
  F,
  A
> {
  /** Runs the command; returns its exit status, nothing means 0. */
  run(values: Values<F>, args: ArgValues<A>, context: C): Promise<number | void>;
}

/**
 * Declares a command, so that the types of values and arguments follow from the data. `C` is the part of the context that `run` uses, by
 * the type of its last parameter: callers such as tests need to provide only that.
 */
export const defineCommand = <
  const P extends string,
  const F extends Flags,
  const A extends Args = readonly [],
  C = Context<P>,
>(
  command: Command<F, A, C> & { readonly path: P & Printed<C, Document<P>> },
): Command<F, A, C> => command;

/** `unknown` if the documents of `C` fit `F`; otherwise a type that fails to compile. */
type Printed<C, F> =
  C extends ResultsOf<infer D>
    ? [D] extends [Exact<D, F>]
      ? unknown
      : { readonly 'has the results of another command': never }
    : unknown;

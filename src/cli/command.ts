// A command is data (declaration.ts), and one `run`. Heavy imports happen inside `run`.
import type { Args, ArgValues } from './arg.js';
import type { Context } from './context.js';
import type { Declaration } from './declaration.js';
import type { Flags, Values } from './flag.js';

export interface Command<F extends Flags = Flags, A extends Args = Args> extends Declaration<F, A> {
  /** The exit status; nothing means 0. */
  run(values: Values<F>, args: ArgValues<A>, context: Context): Promise<number | void>;
}

/** Declares a command; exists so that the types of values and arguments follow from the data. */
export const defineCommand = <const F extends Flags, const A extends Args = readonly []>(
  command: Command<F, A>,
): Command<F, A> => command;

// The program for one call: a command of every day is loaded without the others, whose declarations are 280 KB of code. Everything else
// takes all of them: lists of commands, flags before the command, words that are none.
import { wordsOf } from '../cli/declaration.js';
import { programOf, type Root } from '../cli/feature.js';
import { FEATURES } from '../features.js';
import { BASE } from './base.js';
import { EVERYDAY } from './everyday.js';

/** Builds the tree with all commands, or, where that is enough for this call, with those that begin with its first word. */
export async function programFor([word]: readonly string[], features = FEATURES): Promise<Root> {
  const whole = async (): Promise<Root> => (await import('./index.js')).program(features);
  const called = EVERYDAY.filter(({ path }) => wordsOf(path)[0] === word);
  return called.length === 0 ? await whole() : { ...programOf(called, features, BASE), whole };
}

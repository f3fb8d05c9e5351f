// The first line of a result that can be good or bad: a sign in the colours and glyphs of the terminal, and a sentence.
import type { Environment, Terminal } from '../../cli/context.js';
import { lookOf } from '../../ui/look.js';
import { signText } from '../../ui/sign.js';

/** The line for stdout. */
export const headline = (
  isGood: boolean,
  text: string,
  { colors, env }: Environment & Pick<Terminal, 'colors'>,
): string => `${signText(isGood ? 'good' : 'bad', lookOf(colors.stdout, env))} ${text}`;

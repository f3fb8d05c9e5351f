// The first line of a result that can be good or bad: a sign in the colours and glyphs of the terminal, and a sentence.
import type { Environment, Terminal } from '../../cli/context.js';
import { lookOf } from '../../ui/look.js';

/** The line for stdout. */
export async function headline(
  isGood: boolean,
  text: string,
  { colors, env }: Environment & Pick<Terminal, 'colors'>,
): Promise<string> {
  const { paintLine } = await import('../../ui/toned-line.js');
  const { glyphsFor } = await import('../../ui/glyphs.js');
  const look = lookOf(colors.stdout, env);
  const glyphs = glyphsFor(look);
  const sign = isGood
    ? ({ text: glyphs.good, tone: 'good' } as const)
    : ({ text: glyphs.failed, tone: 'bad' } as const);
  return paintLine([sign, { text: ` ${text}` }], look);
}

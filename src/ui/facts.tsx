import type { ReactElement } from 'react';
import { Box } from 'ink';
import { FitText } from './fit-text.js';
import { useSize } from './size.js';
import { Tint, type Tone } from './theme.js';
import { widthOf } from './text.js';
import { wrapped } from './wrapped.js';

/** A label without text continues the fact above it. */
export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly tone?: Tone;
}

/** Labels in one dim column, values beside them; a value too long is cut in the middle (paths, URLs). */
export function Facts({ facts, indent = 1 }: { facts: readonly Fact[]; indent?: number }): ReactElement {
  const label = labelWidth(facts);
  const width = useSize().columns - indent - label - 1;
  return (
    <Box flexDirection="column" flexShrink={0} paddingLeft={indent}>
      {facts.map(({ label: text, value, tone }, at) => (
        <Tint key={at}>
          <Tint tone="dim">{text.padEnd(label)}</Tint>
          <FitText text={value} width={width} cut="middle" tone={tone} />
        </Tint>
      ))}
    </Box>
  );
}

const labelWidth = (facts: readonly Fact[]): number => Math.max(...facts.map(({ label }) => label.length)) + 2;

/** Splits facts so that each value is on as many rows as it needs in this room: nothing is cut, and a row ends after a comma if one can. */
export function wrapFacts(facts: readonly Fact[], columns: number, indent = 1): readonly Fact[] {
  const width = columns - indent - labelWidth(facts) - 1;
  return facts.flatMap((fact) =>
    clausesIn(fact.value, width).map((value, at) => ({ ...fact, label: at === 0 ? fact.label : '', value })),
  );
}

function clausesIn(text: string, width: number): readonly string[] {
  const rows: string[] = [];
  for (const clause of text.split(/(?<=, )/)) {
    const longer = (rows.at(-1) ?? '') + clause;
    if (rows.length > 0 && widthOf(longer.trimEnd()) <= width) rows[rows.length - 1] = longer;
    else rows.push(clause);
  }
  return rows.flatMap((row) => wrapped(row.trimEnd(), width));
}

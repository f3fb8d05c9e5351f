import type { ReactElement } from 'react';
import { Tint, useTheme } from './theme.js';

/** One row of levels from 0 to the highest value, followed by the note. Only the newest `width` values are shown. */
export function Sparkline({
  values,
  width,
  note,
}: {
  values: readonly number[];
  width: number;
  note: string;
}): ReactElement {
  const { levels } = useTheme().glyphs;
  const shown = values.slice(-width);
  const highest = Math.max(...shown, Number.MIN_VALUE);
  const level = (value: number): string =>
    levels[Math.round((Math.max(0, value) / highest) * (levels.length - 1))] ?? ' ';
  return (
    <Tint>
      <Tint tone="accent">{shown.map(level).join('')}</Tint>
      <Tint tone="dim">{`  ${note}`}</Tint>
    </Tint>
  );
}

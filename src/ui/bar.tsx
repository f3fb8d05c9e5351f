import type { ReactElement } from 'react';
import { Tint, useTheme, type Tone } from './theme.js';

interface Props {
  readonly share: number;
  readonly width: number;
  readonly tone?: Tone;
  readonly hasTrack?: boolean;
}

/**
 * A share from 0 to 1 in exactly `width` columns, in steps of half a column; full only when the share is 1. Put a number beside it. It is
 * drawn with lines, since full blocks of neighbouring rows merge into one patch.
 */
export function Bar({ share, width, tone = 'accent', hasTrack = false }: Props): ReactElement {
  const { full, half, empty } = useTheme().glyphs;
  const cells = Math.max(0, width);
  const halves = Math.floor(Math.min(1, Math.max(0, share)) * cells * 2);
  const filled = full.repeat(halves >> 1) + (halves % 2 ? half : '');
  const track = (hasTrack ? empty : ' ').repeat(cells - filled.length);
  return (
    <Tint>
      <Tint tone={tone}>{filled}</Tint>
      <Tint tone="dim">{track}</Tint>
    </Tint>
  );
}

import type { ReactElement } from 'react';
import { cutAroundMatch, fit, widthOf, type Align, type Cut } from './text.js';
import { Tint, useTheme, type Tone } from './theme.js';

interface Props {
  readonly text: string;
  readonly width: number;
  readonly align?: Align | undefined;
  readonly cut?: Cut | undefined;
  readonly tone?: Tone | undefined;
}

/** Text that takes exactly `width` columns. */
export function FitText({ text, width, align, cut, tone }: Props): ReactElement {
  return <Tint tone={tone}>{fit(text, width, align, cut, useTheme().glyphs.ellipsis)}</Tint>;
}

/** Like `FitText`, with the search text highlighted; a long path is cut so that the match stays visible. */
export function MatchText({ text, query, width }: { text: string; query: string; width: number }): ReactElement {
  const [before, match, after] = cutAroundMatch(text, query, width, useTheme().glyphs.ellipsis);
  const blank = ' '.repeat(Math.max(0, width - widthOf(before + match + after)));
  return (
    <Tint>
      {before}
      <Tint tone="match">{match}</Tint>
      {after}
      {blank}
    </Tint>
  );
}

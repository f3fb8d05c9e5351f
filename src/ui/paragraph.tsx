import type { ReactElement } from 'react';
import { useSize } from './size.js';
import { Tint, type Tone } from './theme.js';
import { wrapped } from './wrapped.js';

/** Sentences on as many rows as they need, with a margin of one column on both sides. */
export function Paragraph({ tone, children }: { readonly tone?: Tone; readonly children: string }): ReactElement {
  const { columns } = useSize();
  return (
    <Tint tone={tone}>
      {wrapped(children, columns - 2)
        .map((line) => ` ${line}`)
        .join('\n')}
    </Tint>
  );
}

import type { ReactElement } from 'react';
import type { Line as EditedLine } from './line-editor.js';
import { Line } from './line.js';
import { useSize } from './size.js';
import { TextField } from './text-field.js';
import { widthOf } from './text.js';
import { Tint } from './theme.js';

const MOST_WIDTH = 60;
/** Columns of the margins at both ends, and before the count. */
const AIR = 4;

interface Props {
  readonly label: string;
  readonly line: EditedLine;
  readonly placeholder: string;
  /** Text about the number of matches. */
  readonly found: string;
}

/** The search text, and beside it the number of matches. */
export function SearchLine({ label, line, placeholder, found }: Props): ReactElement {
  const name = `${label}: `;
  const room = useSize().columns - AIR - widthOf(name + found);
  return (
    <Line
      left={
        <>
          <Tint tone="accent">{name}</Tint>
          <TextField line={line} width={Math.min(MOST_WIDTH, room)} placeholder={placeholder} />
        </>
      }
      right={<Tint tone="dim">{found}</Tint>}
    />
  );
}

// Rows of a sign, a label and sentences beside them, on a screen and in printed results. Pure; nothing is cut.
import type { Sign } from './sign.js';
import { widthOf } from './text.js';
import { wrapped } from './wrapped.js';

export interface SignedRow {
  readonly sign: Sign;
  readonly label: string;
  /** Sentences, each of which starts on a new line. */
  readonly texts: readonly string[];
}

export interface SignedLine {
  /** Set on the first line of a row. */
  readonly sign: Sign | undefined;
  /** Padded, so that texts are aligned in one column. */
  readonly label: string;
  readonly text: string;
}

const GAP = 2;
/** A narrower text column would be unreadable. */
const LEAST = 20;

/** The lines in this number of columns, without the signs. */
export function signedLines(rows: readonly SignedRow[], columns: number): readonly SignedLine[] {
  const labelWidth = Math.max(0, ...rows.map(({ label }) => widthOf(label))) + GAP;
  const width = Math.max(LEAST, columns - labelWidth);
  return rows.flatMap(({ sign, label, texts }) =>
    texts
      .flatMap((text) => wrapped(text, width))
      .map((text, at) => ({
        sign: at === 0 ? sign : undefined,
        label: (at === 0 ? label : '').padEnd(labelWidth),
        text,
      })),
  );
}

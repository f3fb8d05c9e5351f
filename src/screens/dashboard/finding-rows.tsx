// Findings as rows.
import { Box } from 'ink';
import type { ReactElement } from 'react';
import { formatCount } from '../../ui/format.js';
import { Line } from '../../ui/line.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { useNames } from '../use-names.js';
import type { Finding } from './findings.js';

/** Findings that are named at most; the views of their keys have all. */
export const MOST_FINDINGS = 8;

const PRESS = 'press';

/** A row for each finding with the key that leads there, the last row for all that do not fit. */
export function FindingRows({
  findings,
  rows,
}: {
  readonly findings: readonly Finding[];
  readonly rows: number;
}): ReactElement {
  const names = useNames();
  const { columns } = useSize();
  const { glyphs } = useTheme();
  const shown = findings.length > rows ? findings.slice(0, Math.max(1, rows - 1)) : findings;
  const rest = findings.length - shown.length;
  return (
    <Box flexDirection="column" flexShrink={0}>
      {shown.map(({ tone, text, key }, at) => (
        <Line
          key={at}
          left={
            <>
              <Tint tone={tone}>{`${glyphs[tone]} `}</Tint>
              {cut(names(text), columns - 2 - 2 - widthOf(`${PRESS} ${key}`) - 2, 'end', glyphs.ellipsis)}
            </>
          }
          right={<Tint tone="dim">{`${PRESS} ${key}`}</Tint>}
        />
      ))}
      {rest > 0 && rows > 1 && <Line left={<Tint tone="dim">{`  and ${formatCount(rest)} more`}</Tint>} />}
    </Box>
  );
}

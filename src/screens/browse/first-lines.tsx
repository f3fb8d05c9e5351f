import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Preview } from '../../core/restore/listing/first-lines.js';
import { useSize } from '../../ui/size.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { wrapped } from '../../ui/wrapped.js';
import { useNames } from '../use-names.js';

export interface FirstLinesProps {
  /** Undefined until it was read. */
  readonly preview: Preview | undefined;
  readonly rows: number;
}

/** The first lines of a file, or the reason why they are not shown. */
export function FirstLines({ preview, rows }: FirstLinesProps): ReactElement {
  const { columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const lines = preview?.kind === 'text' ? preview.lines.slice(0, rows - 2) : [];
  const isWhole = preview?.kind === 'text' && !preview.isCut && lines.length === preview.lines.length;
  return (
    <Box flexDirection="column" paddingLeft={1} paddingTop={1}>
      <Tint tone="dim">{isWhole ? 'all lines' : 'first lines'}</Tint>
      {(preview?.kind === 'none' ? wrapped(names(preview.reason), columns - 4) : []).map((line, at) => (
        <Tint key={at} tone="warn">{`  ${line}`}</Tint>
      ))}
      {lines.map((line, at) => (
        <Tint key={at}>{`  ${cut(names(line.replaceAll('\t', '    ')), columns - 4, 'end', glyphs.ellipsis)}`}</Tint>
      ))}
    </Box>
  );
}

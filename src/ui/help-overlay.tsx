// All current key bindings, grouped, in as many columns as fit. It is made from the bindings, so it is never out of date.
import type { ReactElement } from 'react';
import { Box } from 'ink';
import { FitText } from './fit-text.js';
import { keyName } from './key-line.js';
import { useSize } from './size.js';
import { Tint, useTheme } from './theme.js';
import type { Binding } from './use-keys.js';

const KEYS = 13;
const COMFORTABLE = 40;
const LEAST = 28;
/** Rows of the title and the empty row below it. */
const HEAD = 2;

type Group = { readonly name: string; readonly bindings: readonly Binding[] };

/** Distributes whole groups over columns: each goes into the shortest column, so that they end up even. */
export function spread(groups: readonly Group[], across: number): readonly (readonly Group[])[] {
  const columns = Array.from({ length: Math.max(1, Math.min(across, groups.length)) }, (): Group[] => []);
  for (const group of groups) columns.toSorted((a, b) => rowsOf(a) - rowsOf(b))[0]?.push(group);
  return columns;
}

const rowsOf = (groups: readonly Group[]): number =>
  groups.reduce((rows, group) => rows + group.bindings.length + 2, -1);

export function HelpOverlay({ bindings, title }: { bindings: readonly Binding[]; title: string }): ReactElement {
  const { columns, rows } = useSize();
  const groups = [...new Set(bindings.map((binding) => binding.group))].map((name) => ({
    name,
    bindings: bindings.filter((binding) => binding.group === name),
  }));
  const isTall = (spreadOut: readonly (readonly Group[])[]): boolean =>
    spreadOut.some((column) => rowsOf(column) > rows - HEAD);
  const comfortable = spread(groups, Math.floor(columns / COMFORTABLE));
  const shown = isTall(comfortable) ? spread(groups, Math.floor(columns / LEAST)) : comfortable;
  const width = Math.min(COMFORTABLE + 6, Math.floor((columns - 2) / shown.length));
  return (
    <Box flexDirection="column" paddingX={1} rowGap={1}>
      <Tint tone="strong">
        {title}
        <Tint tone="dim">{isTall(shown) ? '  a larger window shows all of them' : '  any key closes this'}</Tint>
      </Tint>
      <Box>
        {shown.map((column, at) => (
          <Box key={at} flexDirection="column" rowGap={1} width={width}>
            {column.map((group) => (
              <HelpGroup key={group.name} group={group} width={width - 2} />
            ))}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

const shownKeys = ({ keys, hintKeys }: Binding): readonly string[] =>
  hintKeys?.length === 1 ? hintKeys : keys.slice(0, 2);

function HelpGroup({ group, width }: { group: Group; width: number }): ReactElement {
  const { glyphs } = useTheme();
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Tint tone="dim">{group.name.toUpperCase()}</Tint>
      {group.bindings.map((binding) => (
        <Tint key={binding.keys[0]}>
          <FitText
            text={shownKeys(binding)
              .map((id) => keyName(id, glyphs))
              .join(' ')}
            width={KEYS}
            tone="accent"
          />
          <FitText text={binding.help} width={width - KEYS} />
        </Tint>
      ))}
    </Box>
  );
}

import type { ReactElement } from 'react';
import { Box } from 'ink';
import { fitByPriority } from './fit-by-priority.js';
import { useSize } from './size.js';
import { Tint } from './theme.js';

export interface Tab {
  readonly name: string;
  readonly isDisabled?: boolean;
}

/** `[1 Overview]  2 Costs`: brackets in addition to colour. When there is no room, the other tabs shrink to their digit. */
export function Tabs({ tabs, active }: { tabs: readonly Tab[]; active: number }): ReactElement {
  const room = useSize().columns;
  const label = (tab: Tab, at: number): string =>
    at === active ? `[${at + 1} ${tab.name}]` : ` ${at + 1} ${tab.name} `;
  const wide = tabs.map((tab, at) => ({ at, tab, priority: at === active ? 0 : 1 }));
  const named = fitByPriority(wide, room - 2 - tabs.length * 4, ({ at, tab }) => label(tab, at).length - 3, 0);
  return (
    <Box paddingX={1} columnGap={1}>
      {wide.map((item) => (
        <Tint key={item.at} tone={item.at === active ? 'tab' : item.tab.isDisabled ? 'dim' : 'plain'}>
          {named.includes(item) ? label(item.tab, item.at) : ` ${item.at + 1} `}
        </Tint>
      ))}
    </Box>
  );
}

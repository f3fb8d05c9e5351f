import { useMemo, type ReactElement, type ReactNode } from 'react';
import type { KeySource } from './keys.js';
import type { Look } from './look.js';
import { TerminalSize, type SizeSource } from './size.js';
import { makeTheme, ThemeContext } from './theme.js';
import { KeyContext } from './use-keys.js';

export interface KitProps {
  readonly keys: KeySource;
  readonly size: SizeSource;
  readonly look: Look;
  readonly children: ReactNode;
}

/** What every component of the kit may ask for: keys, size and theme. The only nesting of providers there is. */
export function Kit({ keys, size, look, children }: KitProps): ReactElement {
  const theme = useMemo(() => makeTheme(look), [look]);
  return (
    <ThemeContext value={theme}>
      <KeyContext value={keys}>
        <TerminalSize source={size}>{children}</TerminalSize>
      </KeyContext>
    </ThemeContext>
  );
}

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

/** The providers for every component of the kit: keys, size and theme. There is no other nesting of providers. */
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

// `useSize()` answers "how much room do I have here?". The root knows the terminal, a `Room` narrows it for what is inside.
// Numbers are passed down because Ink's `measureElement` is 0 before the first layout.
import { Box } from 'ink';
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactElement, type ReactNode } from 'react';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Where the size of a terminal comes from. */
export interface SizeSource {
  /** The same object until the size changes. */
  readonly get: () => Size;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Below this screens leave out what is said elsewhere, too. */
export const BASE_COLUMNS = 80;
/** From here on screens have second panels, and tables all of their columns. */
export const WIDE_COLUMNS = 120;

const SizeContext = createContext<Size>({ columns: 80, rows: 24 });
export const useSize = (): Size => useContext(SizeContext);

export interface TerminalSizeProps {
  readonly source: SizeSource;
  readonly children: ReactNode;
}

/** The room of a whole terminal. */
export function TerminalSize({ source, children }: TerminalSizeProps): ReactElement {
  const size = useSyncExternalStore(source.subscribe, source.get);
  return <SizeContext value={size}>{children}</SizeContext>;
}

/** An area of exactly this size. What does not fit is clipped, never pushed over the neighbours. */
export function Room({ columns, rows, children }: Size & { readonly children: ReactNode }): ReactElement {
  const size = useMemo(() => ({ columns, rows }), [columns, rows]);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns} height={rows} overflowY="hidden">
      <SizeContext value={size}>{children}</SizeContext>
    </Box>
  );
}

/** A size that never changes, for tests and for printing one frame. */
export const fixedSize = (columns: number, rows: number): SizeSource => {
  const size = { columns, rows };
  return { get: () => size, subscribe: () => () => undefined };
};

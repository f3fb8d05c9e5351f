// `useSize()` returns the room that a component has. The root uses the size of the terminal; a `Room` narrows it for its children. Numbers
// are passed down because Ink's `measureElement` returns 0 before the first layout.
import { Box } from 'ink';
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactElement, type ReactNode } from 'react';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The source of a terminal's size. */
export interface SizeSource {
  /** Returns the same object until the size changes. */
  readonly get: () => Size;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** Below this width screens also leave out what is shown elsewhere. */
export const BASE_COLUMNS = 80;
/** From this width on screens have second panels, and tables all of their columns. */
export const WIDE_COLUMNS = 120;

const SizeContext = createContext<Size>({ columns: 80, rows: 24 });
export const useSize = (): Size => useContext(SizeContext);

export interface TerminalSizeProps {
  readonly source: SizeSource;
  readonly children: ReactNode;
}

/** Provides the size of the whole terminal. */
export function TerminalSize({ source, children }: TerminalSizeProps): ReactElement {
  const size = useSyncExternalStore(source.subscribe, source.get);
  return <SizeContext value={size}>{children}</SizeContext>;
}

/** An area of exactly this size. Content that does not fit is clipped, and never overlaps the neighbours. */
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

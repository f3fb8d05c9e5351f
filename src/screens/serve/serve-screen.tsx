// A server at work, drawn inline on a terminal: where it is, what it has sent, and the last requests. It never reads stdin.
import { Box, Static } from 'ink';
import { type ReactElement, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { displayText } from '../../stores/display-text.js';
import type { ServeStore } from '../../stores/serve/serve-store.js';
import { openInline } from '../../ui/inline-screen.js';
import type { Look } from '../../ui/look.js';
import { useSize } from '../../ui/size.js';
import type { TerminalStream } from '../../ui/terminal.js';
import { cut } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { servedText } from './serve-words.js';

interface Shown {
  readonly store: ServeStore;
  /** What is served where: `Serving s3://acme-archive/lab at http://127.0.0.1:41234/`. */
  readonly title: string;
}

export interface ServeScreenOptions extends Shown {
  readonly stream: TerminalStream;
  readonly look: Look;
}

const TICK_MS = 1000;
/** Rows without requests: title, sums, what Ctrl+C does, and one that stays free. */
const OTHER_ROWS = 4;

/** Starts drawing; when `stop` resolves the frame is gone, and the notes above it stay. */
export function startServeScreen({ store, title, stream, look }: ServeScreenOptions): { stop: () => Promise<void> } {
  const screen = openInline(<ServeScreen store={store} title={title} />, { stdout: stream, look });
  return { stop: () => screen.leave(`${servedText(store.getState().snapshot)}\n`) };
}

export function ServeScreen({ store, title }: Shown): ReactElement {
  useEffect(() => {
    const tick = setInterval(() => store.getState().refresh(), TICK_MS);
    tick.unref();
    return () => clearInterval(tick);
  }, [store]);
  return (
    <>
      <Notes store={store} />
      <Frame store={store} title={title} />
    </>
  );
}

/** What is said stays above the frame. Where the store has dropped the first notes, a new list begins with what was not printed yet. */
function Notes({ store }: Pick<Shown, 'store'>): ReactElement {
  const { notes, droppedNotes } = useStore(store, (state) => state.snapshot);
  const { unicode } = useTheme();
  const printed = useRef(0);
  // oxlint-disable-next-line react/refs -- where a new list begins is a fact of the moment at which the store dropped notes
  const first = useMemo(() => Math.max(printed.current - droppedNotes, 0), [droppedNotes]);
  useLayoutEffect(() => {
    printed.current = droppedNotes + notes.length;
  });
  return (
    <Static key={droppedNotes} items={notes.slice(first)}>
      {(note, index) => (
        <Tint key={index} wrap="wrap">
          {displayText(note, { unicode })}
        </Tint>
      )}
    </Static>
  );
}

function Frame({ store, title }: Shown): ReactElement {
  const snapshot = useStore(store, (state) => state.snapshot);
  const { columns, rows } = useSize();
  const look = useTheme();
  const fit = (text: string): string => cut(displayText(text, look), columns, 'middle', look.glyphs.ellipsis);
  const requests = snapshot.recent.slice(-Math.max(1, rows - OTHER_ROWS));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Tint tone="accent">{fit(title)}</Tint>
      <Tint>{fit(servedText(snapshot))}</Tint>
      {requests.map(({ method, path, status, times }, at) => (
        <Tint key={at} tone={status < 400 ? 'plain' : 'warn'}>
          {fit(`${status} ${method} ${path}${times > 1 ? ` (${times} times)` : ''}`)}
        </Tint>
      ))}
      <Tint tone="dim">{fit('ctrl+c ends it')}</Tint>
    </Box>
  );
}

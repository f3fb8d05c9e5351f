// Runs the browser on a terminal, also while its upload is being opened. Work in progress when it is left goes on only as far as its signal
// allows.
import { type ReactElement, useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EventSink } from '../../core/events/events.js';
import type { BrowseStore } from '../../stores/browse/browse-store.js';
import { createTransferStore, type TransferStore } from '../../stores/transfer-store.js';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import { BrowseScreen } from './browse-screen.js';
import { LoadingScreen } from './loading-screen.js';

export interface ShowBrowseOptions extends ScreenOptions {
  /** URL that is shown while it is being opened. */
  readonly url: string;
  readonly open: (emit: EventSink) => Promise<BrowseStore>;
  /** Ends the screen. */
  readonly signal: AbortSignal;
}

interface Opening {
  readonly browser: BrowseStore | undefined;
}

/** Shows the browser until the user leaves it. @throws what `open` throws, and errors of drawing */
export async function showBrowse({ url, open, signal, ...options }: ShowBrowseOptions): Promise<void> {
  const opening = createStore<Opening>()(() => ({ browser: undefined }));
  const transfer = createTransferStore({ now: () => performance.now() });
  const { apply, close } = transfer.getState();
  const failing = new AbortController();
  const failures: unknown[] = [];
  open(apply).then(
    (browser) => opening.setState({ browser }),
    (error: unknown) => {
      failures.push(error);
      failing.abort();
    },
  );
  await runScreen((quit) => <Opened url={url} opening={opening} transfer={transfer} onQuit={quit} />, {
    ...options,
    signal: AbortSignal.any([signal, failing.signal]),
  });
  close();
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}

interface OpenedProps {
  readonly url: string;
  readonly opening: StoreApi<Opening>;
  readonly transfer: TransferStore;
  readonly onQuit: () => void;
}

function Opened({ url, opening, transfer, onQuit }: OpenedProps): ReactElement {
  const browser = useStore(opening, (state) => state.browser);
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(() => browser?.subscribe(({ isOver }) => isOver && onQuit()), [browser, onQuit]);
  if (browser === undefined) return <LoadingScreen url={url} transfer={transfer} onQuit={onQuit} />;
  return <BrowseScreen store={browser} />;
}

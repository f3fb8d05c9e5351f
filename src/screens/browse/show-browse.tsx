// Runs the browser on a terminal, also while what it shows is opened. What is under way when it is left goes on only as
// far as its signal lets it.
import { type ReactElement, useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { LoadProgress } from '../../core/listing/load-listing.js';
import type { BrowseStore } from '../../stores/browse/browse-store.js';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import { BrowseScreen } from './browse-screen.js';
import { LoadingScreen } from './loading-screen.js';

export interface ShowBrowseOptions extends Omit<ScreenOptions, 'quitKeys'> {
  /** What is opened, for the time until it is. */
  readonly url: string;
  readonly open: (onProgress: (progress: LoadProgress) => void) => Promise<BrowseStore>;
  /** Ends the screen. */
  readonly signal: AbortSignal;
}

interface Opening {
  readonly progress: LoadProgress | undefined;
  readonly browser: BrowseStore | undefined;
}

const LOADED_EVERY_MS = 100;

/** Shows the browser until the person leaves it. @throws what `open` throws, and what went wrong in drawing */
export async function showBrowse({ url, open, signal, ...options }: ShowBrowseOptions): Promise<void> {
  const opening = createStore<Opening>()(() => ({ progress: undefined, browser: undefined }));
  const failing = new AbortController();
  const failures: unknown[] = [];
  open(throttled((progress) => opening.setState({ progress }))).then(
    (browser) => opening.setState({ browser }),
    (error: unknown) => {
      failures.push(error);
      failing.abort();
    },
  );
  await runScreen((quit) => <Opened url={url} opening={opening} onQuit={quit} />, {
    ...options,
    signal: AbortSignal.any([signal, failing.signal]),
  });
  if (failures.length > 0 && !signal.aborted) throw failures[0];
}

interface OpenedProps {
  readonly url: string;
  readonly opening: StoreApi<Opening>;
  readonly onQuit: () => void;
}

function Opened({ url, opening, onQuit }: OpenedProps): ReactElement {
  const browser = useStore(opening, (state) => state.browser);
  const progress = useStore(opening, (state) => state.progress);
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(() => browser?.subscribe(({ isOver }) => isOver && onQuit()), [browser, onQuit]);
  if (browser === undefined) return <LoadingScreen url={url} progress={progress} onQuit={onQuit} />;
  return <BrowseScreen store={browser} />;
}

/** Progress comes for every piece that is read, which is more often than anybody could see. */
function throttled(show: (progress: LoadProgress) => void): (progress: LoadProgress) => void {
  let shownMs = 0;
  return (progress) => {
    const nowMs = performance.now();
    if (nowMs - shownMs < LOADED_EVERY_MS) return;
    shownMs = nowMs;
    show(progress);
  };
}

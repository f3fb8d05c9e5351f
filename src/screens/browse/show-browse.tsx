// Runs the browser on a terminal, also while its upload is being opened. Work in progress when it is left goes on only as far as its signal
// allows.
import { type ReactElement, useLayoutEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Box } from 'ink';
import type { EventSink } from '../../core/events/events.js';
import type { BrowseStore } from '../../stores/browse/browse-store.js';
import { createTransferStore, type TransferStore } from '../../stores/transfer-store.js';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import { BrowseScreen } from './browse-screen.js';
import { Screen } from '../../ui/screen.js';
import { Room, useSize } from '../../ui/size.js';
import { type Binding, useKeys } from '../../ui/use-keys.js';
import { OperationFrame } from '../progress/operation-frame.js';
import { useNames } from '../use-names.js';

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

interface LoadingScreenProps {
  readonly url: string;
  /** Progress of reading the manifest. */
  readonly transfer: TransferStore;
  readonly onQuit: () => void;
}

const FRAME_ROWS = 8;

/** Shown while the manifest is read: the progress of that. */
function LoadingScreen({ url, transfer, onQuit }: LoadingScreenProps): ReactElement {
  const names = useNames();
  const { columns } = useSize();
  const keys: readonly Binding[] = [
    { keys: ['q', 'ctrl+c'], help: 'quit', hint: 'quit', group: 'leave', priority: 0, run: onQuit },
  ];
  useKeys(() => keys);
  return (
    <Screen title="archiver browse" where={names(url)} context="" status={<></>} bindings={keys}>
      <Box paddingX={1} paddingTop={1}>
        <Room columns={columns - 2} rows={FRAME_ROWS}>
          <OperationFrame store={transfer} />
        </Room>
      </Box>
    </Screen>
  );
}

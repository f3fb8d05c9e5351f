// Runs the wizard on a terminal until it is over.
import { type ReactElement, useLayoutEffect } from 'react';
import type { SetupStore } from '../../stores/setup/setup-store.js';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import { SetupScreen } from './setup-screen.js';

/** Shows the wizard. @throws errors of drawing */
export async function showSetup(store: SetupStore, options: ScreenOptions): Promise<void> {
  await runScreen((quit) => <Ending store={store} onEnd={quit} />, options);
  store.getState().do.quit();
}

function Ending({ store, onEnd }: { readonly store: SetupStore; readonly onEnd: () => void }): ReactElement {
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(() => store.subscribe(({ isOver }) => isOver && onEnd()), [store, onEnd]);
  return <SetupScreen store={store} />;
}

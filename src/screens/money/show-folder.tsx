// Runs the view of a folder on a terminal.
import { type ReactElement, useLayoutEffect } from 'react';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import { FolderScreen, type FolderScreenProps } from './folder-screen.js';

export interface ShowFolderOptions extends ScreenOptions {
  readonly shown: FolderScreenProps;
}

/** Shows the folder until the user leaves. @throws errors of drawing */
export async function showFolder({ shown, ...options }: ShowFolderOptions): Promise<void> {
  await runScreen((quit) => <Leaving shown={shown} onQuit={quit} />, options);
}

function Leaving({ shown, onQuit }: { readonly shown: FolderScreenProps; readonly onQuit: () => void }): ReactElement {
  const { store } = shown;
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(() => store.subscribe(({ isOver }) => isOver && onQuit()), [store, onQuit]);
  return <FolderScreen {...shown} />;
}

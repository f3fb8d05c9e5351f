// Restores that are started on the screen, and quitting.
import { cancelledError, errorText, isArchiverError } from '../../core/platform/failures/errors.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { createTransferStore } from '../transfer-store.js';
import type { BrowseTools, RestoreActions } from './actions.js';
import { chosenIn } from './browse-state.js';
import { refusalOf } from './cost.js';

/** The actions that restore the marked files, or cancel that. */
export function restoreActions({ get, set, ports, signal }: BrowseTools): RestoreActions {
  const stopping = new AbortController();
  let stop: (() => void) | undefined;
  return {
    restore() {
      const { tier, settings } = get();
      const { opened, marks } = chosenIn(get());
      if (refusalOf(marks, tier, settings) !== undefined) return;
      const selectors: Selectors = marks.isEverything ? { all: true } : { paths: marks.paths() };
      const transfer = createTransferStore({ now: ports.now });
      const { apply, close, requestStop } = transfer.getState();
      const restoring = AbortSignal.any([signal, stopping.signal]);
      stop = requestStop;
      set({ mode: { kind: 'progress', transfer } });
      ports
        .restore({ opened, selectors, tier }, apply, restoring)
        .catch((error: unknown) => failureLines(error))
        .then((lines) => {
          close();
          stop = undefined;
          set(restoring.aborted ? { isOver: true } : { mode: { kind: 'done', lines } });
        })
        .catch(() => undefined); // drawing reports its own failures
    },
    quit() {
      stopping.abort(cancelledError('interrupted'));
      // A restore finishes what it has begun to write, and the browser ends with it; quitting again ends at once.
      if (stop === undefined) set({ isOver: true });
      else stop();
      stop = undefined;
    },
  };
}

/** An error as lines for the screen. */
function failureLines(error: unknown): readonly string[] {
  const hint = isArchiverError(error) && error.hint !== undefined ? [error.hint] : [];
  return [errorText(error), ...hint].map(printable);
}

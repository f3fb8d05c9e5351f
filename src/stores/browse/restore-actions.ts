// The restore that is begun on the screen, and leaving.
import { cancelledError, errorText, isArchiverError } from '../../core/platform/failures/errors.js';
import type { Selectors } from '../../core/format/manifest/selection.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { createTransferStore } from '../transfer-store.js';
import type { BrowseTools, RestoreActions } from './actions.js';
import { chosenIn } from './browse-state.js';
import { refusalOf } from './cost.js';

/** The actions that restore what is marked, or stop that. */
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
        .catch(() => undefined); // drawing tells of its own failures
    },
    quit() {
      stopping.abort(cancelledError('interrupted'));
      // A restore finishes what it has begun to write, and its end is the end of the browser; who insists leaves now.
      if (stop === undefined) set({ isOver: true });
      else stop();
      stop = undefined;
    },
  };
}

/** An error as a person reads it on a screen. */
function failureLines(error: unknown): readonly string[] {
  const hint = isArchiverError(error) && error.hint !== undefined ? [error.hint] : [];
  return [errorText(error), ...hint].map(printable);
}

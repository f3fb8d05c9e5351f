// Panels that replace the list or are shown beside it, and reading for them.
import { errorText } from '../../core/platform/failures/errors.js';
import type { BrowseTools, PanelActions } from './actions.js';
import { chosenIn, type OpenedListing, type ReadAbout } from './browse-state.js';
import { nextTier } from './cost.js';

const NOTHING_MARKED = 'nothing is marked: space marks a file, a all that are visible';

/** The actions that open and close panels. */
export function panelActions(tools: BrowseTools): PanelActions {
  const { get, set, notify, ports } = tools;
  let reading = new AbortController();
  return {
    notify,
    show: (kind) => set({ mode: { kind }, notice: undefined }),
    ask() {
      if (chosenIn(get()).marks.files === 0) notify(NOTHING_MARKED);
      else set({ mode: { kind: 'confirm' }, askedAt: ports.clock() });
    },
    nextTier: (step) => set({ tier: nextTier(chosenIn(get()).marks, get().tier, step) }),
    readAbout(file) {
      reading.abort();
      reading = new AbortController();
      if (file === undefined) return;
      set({ about: { ...file, preview: undefined, history: undefined } });
      readBoth(file, tools, AbortSignal.any([tools.signal, reading.signal]));
    },
  };
}

function readBoth(
  { opened, index }: { readonly opened: OpenedListing; readonly index: number },
  { get, set, ports }: BrowseTools,
  signal: AbortSignal,
): void {
  const show = (found: Pick<ReadAbout, 'preview'> | Pick<ReadAbout, 'history'>): void => {
    const { about } = get();
    if (about !== undefined && !signal.aborted) set({ about: { ...about, ...found } });
  };
  const none = (error: unknown): { kind: 'none'; reason: string } => ({ kind: 'none', reason: errorText(error) });
  void ports.preview(opened, index, signal).then(
    (preview) => show({ preview }),
    (error: unknown) => show({ preview: none(error) }),
  );
  void ports.history(opened, index, signal).then(
    (history) => show({ history }),
    (error: unknown) => show({ history: none(error) }),
  );
}

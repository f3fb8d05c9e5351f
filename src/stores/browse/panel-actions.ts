// What takes the place of the list, and stepping to other versions.
import { errorText } from '../../core/failures/errors.js';
import type { BrowseTools, PanelActions } from './actions.js';
import { withOpened } from './changes.js';
import { nextTier } from './cost.js';
import { type Preview, rowAt } from './browse-state.js';

/** The actions that open and close panels. */
export function panelActions(tools: BrowseTools): PanelActions {
  const { get, set, notify, begin } = tools;
  return {
    notify,
    show(kind) {
      begin();
      set({ mode: { kind }, notice: undefined });
    },
    showDetails: () => showDetails(tools),
    step: (direction) => step(direction, tools),
    nextTier: () => set({ tier: nextTier(get().marks, get().tier) }),
  };
}

function showDetails({ get, set, begin, ports }: BrowseTools): void {
  const { opened, position } = get();
  const row = rowAt(get(), position);
  const index = typeof row === 'object' ? opened.listing.find(row.path) : row;
  if (index === undefined) return;
  const reading = begin();
  set({ mode: { kind: 'details', index, preview: undefined } });
  ports
    .preview(opened, index, reading)
    .catch((error: unknown): Preview => ({ kind: 'none', reason: errorText(error) }))
    .then((preview) => {
      if (!reading.aborted) set({ mode: { kind: 'details', index, preview } });
    })
    .catch(() => undefined); // drawing tells of its own failures
}

function step(direction: -1 | 1, { get, set, look, notify, ports, signal }: BrowseTools): void {
  if (get().busy !== undefined) return;
  set({ busy: direction < 0 ? 'opening the version before' : 'opening the version after' });
  ports
    .step(get().opened, direction, signal)
    .then(async (next) => {
      set(withOpened(get(), next));
      look(get().filter);
      const changes = await ports.changes(next, signal);
      if (get().opened === next) set({ changes });
    })
    .catch((error: unknown) => notify(errorText(error)))
    .finally(() => set({ busy: undefined }));
}

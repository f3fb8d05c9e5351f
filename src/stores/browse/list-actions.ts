// Moving, marking and filtering.
import type { BrowseTools, ListActions } from './actions.js';
import { toParent } from './changes.js';
import { rowAt, withFolder, withPosition, withTree } from './browse-state.js';

const WORDS = { stage: 'DVC stage', commit: 'git commit' } as const;

/** The actions of the list and the tree. */
export function listActions(tools: BrowseTools): ListActions {
  const { get, set, look } = tools;
  return {
    ...markActions(tools),
    move: (rows) => set(withPosition(get(), get().position + rows)),
    moveTo: (end) => set(withPosition(get(), end === 'first' ? 0 : Number.MAX_SAFE_INTEGER)),
    cycle: (which) => cycle(which, tools),
    setSearch(search) {
      set({ search });
      if (search.text !== get().filter.text) look({ ...get().filter, text: search.text });
    },
    toggleTree: () => set(withTree(get(), get().tree === undefined)),
    openFolder(isOpen) {
      const row = rowAt(get(), get().position);
      if (typeof row === 'object' && row.isOpen !== isOpen) set(withFolder(get(), row.path, isOpen));
      else if (!isOpen && get().tree !== undefined) set(toParent(get()));
    },
  };
}

// The marks are one mutable object: setting them again tells everybody that they have changed.
function markActions({ get, set, notify }: BrowseTools): Pick<ListActions, 'toggle' | 'markVisible' | 'clearMarks'> {
  return {
    toggle() {
      const { marks, visible, position } = get();
      const row = rowAt(get(), position);
      if (row === undefined) return;
      const rows = typeof row === 'number' ? Uint32Array.of(row) : visible.subarray(row.visible.start, row.visible.end);
      marks.setAll(rows, !rows.every((index) => marks.has(index)));
      set({ marks });
    },
    markVisible() {
      const { marks, visible, isSearching } = get();
      if (isSearching) return notify('still searching: not all that matches is visible yet');
      marks.setAll(visible, true);
      set({ marks });
    },
    clearMarks() {
      const { marks } = get();
      marks.clear();
      set({ marks });
    },
  };
}

/** From all to each value, and back to all. */
function cycle(which: keyof typeof WORDS, { get, look, notify }: BrowseTools): void {
  const { filter, opened } = get();
  const values = which === 'stage' ? opened.listing.stages : opened.listing.commits;
  if (values.length === 0) return notify(`no file of this upload has a ${WORDS[which]}`);
  const now = filter[which];
  look({ ...filter, [which]: now === undefined ? values[0] : values[values.indexOf(now) + 1] });
}

// Moving, marking, filtering and sorting.
import { parentOf } from '../../core/platform/paths/raw-path.js';
import type { BrowseTools, ListActions } from './actions.js';
import { changeAtCursor, type BrowseState, type ChangedFile } from './browse-state.js';
import { SORTS } from './order.js';
import { rowAt, withFolder, withPosition, withTree } from './rows.js';
import { rowOf } from './tree.js';

const WORDS = { stage: 'DVC stage', commit: 'git commit' } as const;

/** The actions of the list, the tree and the changes. */
export function listActions(tools: BrowseTools): ListActions {
  const { get, set, arrange } = tools;
  return {
    ...markActions(tools),
    move: (rows) => set(moved(get(), rows)),
    cycle: (which) => cycle(which, tools),
    setSearch(search) {
      set({ search });
      const { filter, sort } = get();
      if (search.text !== filter.text) arrange({ filter: { ...filter, text: search.text }, sort });
    },
    nextSort() {
      const { filter, sort } = get();
      arrange({ filter, sort: SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'name' });
    },
    toggleTree: () => set(withTree(get(), get().tree === undefined)),
    openFolder(isOpen) {
      const row = rowAt(get(), get().position);
      if (typeof row === 'object' && row.isOpen !== isOpen) set(withFolder(get(), row.path, isOpen));
      else if (!isOpen) set(toParent(get()));
    },
  };
}

function moved(state: BrowseState, rows: number): BrowseState {
  if (state.page === 'files') return withPosition(state, state.position + rows);
  const last = (state.changes?.files.length ?? 0) - 1;
  return { ...state, changePosition: Math.max(0, Math.min(last, state.changePosition + rows)) };
}

/** Moves the cursor to the folder that contains its row. */
function toParent(state: BrowseState): BrowseState {
  const { wanted, tree, opened } = state;
  const path = typeof wanted === 'number' ? opened.listing.path(wanted) : wanted;
  const position = tree && rowOf(tree, parentOf(path));
  return position === undefined ? state : withPosition(state, position);
}

// Marks are mutable: a change of `markings` signals that they have changed.
function markActions({ get, set, notify }: BrowseTools): Pick<ListActions, 'toggle' | 'markVisible' | 'clearMarks'> {
  const changed = (): void => set({ markings: get().markings + 1 });
  return {
    toggle() {
      const { page, marks, visible, position, changeMarks } = get();
      const change = page === 'changes' ? changeAtCursor(get()) : undefined;
      const row = rowAt(get(), position);
      if (change !== undefined) {
        if (!isThere(change, get())) return notify('only what the older version has can be restored from it');
        changeMarks.set(change.before, !changeMarks.has(change.before));
      } else if (page === 'files' && row !== undefined) {
        const { start, end } = typeof row === 'number' ? { start: 0, end: 0 } : row.visible;
        const rows = typeof row === 'number' ? Uint32Array.of(row) : visible.subarray(start, end);
        marks.setAll(rows, !rows.every((index) => marks.has(index)));
        // Marking a file moves the cursor to it, also when a search led there.
        set(withPosition(get(), position));
      }
      changed();
    },
    markVisible() {
      const { page, marks, visible, isSearching, changes, changeMarks } = get();
      if (page === 'changes')
        for (const change of changes?.files ?? []) if (isThere(change, get())) changeMarks.set(change.before, true);
      if (page === 'files' && isSearching) return notify('still searching: not all that matches is visible yet');
      if (page === 'files') marks.setAll(visible, true);
      changed();
    },
    clearMarks() {
      const { page, marks, changeMarks } = get();
      (page === 'changes' ? changeMarks : marks).clear();
      changed();
    },
  };
}

/** True when a changed file can be restored from the version that is compared with. */
const isThere = (change: ChangedFile, { changes }: BrowseState): change is ChangedFile & { readonly before: number } =>
  change.before !== undefined && changes?.since?.listing.type(change.before) !== 'directory';

/** Cycles from all to each value, and back to all. */
function cycle(which: keyof typeof WORDS, { get, arrange, notify }: BrowseTools): void {
  const { filter, sort, opened } = get();
  const values = which === 'stage' ? opened.listing.stages : opened.listing.commits;
  if (values.length === 0) return notify(`no file of this upload has a ${WORDS[which]}`);
  const now = filter[which];
  arrange({ filter: { ...filter, [which]: now === undefined ? values[0] : values[values.indexOf(now) + 1] }, sort });
}

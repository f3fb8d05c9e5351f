// Moving, marking, filtering and sorting.
import { displayPath, parentOf, type RawPath } from '../../core/platform/paths/raw-path.js';
import type { BrowseTools, ListActions } from './actions.js';
import { changeAtCursor, type BrowseState, type ChangedFile } from './browse-state.js';
import { movedIn } from './file-versions.js';
import { SORTS } from './order.js';
import { rowAt, withFolder, withPosition, withTree } from './rows.js';
import { firstAtOrAfter, rowOf } from './tree.js';
import { attempt } from './version-actions.js';

const WORDS = { stage: 'DVC stage', commit: 'git commit' } as const;

/** The actions of the list, the tree and the changes. */
export function listActions(tools: BrowseTools): ListActions {
  const { get, set, arrange } = tools;
  return {
    ...markActions(tools),
    move: (rows) => set(moved(get(), rows)),
    cycle(which) {
      whenWhole(`reading every ${WORDS[which]}`, tools, () => cycle(which, tools));
    },
    setSearch(search) {
      set({ search });
      const { filter, sort } = get();
      if (search.text !== filter.text) arrange({ filter: { ...filter, text: search.text }, sort });
    },
    nextSort() {
      const { filter, sort } = get();
      arrange({ filter, sort: SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'name' });
    },
    toggleTree() {
      whenWhole('reading all names', tools, () => set(withTree(get(), get().tree === undefined)));
    },
    openFolder(isOpen) {
      const row = rowAt(get(), get().position);
      if (typeof row === 'object' && row.isOpen !== isOpen) set(withFolder(get(), row.path, isOpen));
      else if (!isOpen) set(toParent(get()));
    },
  };
}

/** Does it at once, or as soon as everything has been read. */
function whenWhole(busy: string, tools: BrowseTools, work: () => void): void {
  if (tools.get().opened.lazy === undefined) return work();
  attempt(busy, tools, async () => {
    await tools.load.whole();
    work();
  });
}

function moved(state: BrowseState, rows: number): BrowseState {
  if (state.page === 'versions') return { ...state, file: state.file && movedIn(state.file, rows) };
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
function markActions(tools: BrowseTools): Pick<ListActions, 'toggle' | 'markVisible' | 'clearMarks'> {
  const { get, set, notify, load } = tools;
  const changed = (): void => set({ markings: get().markings + 1 });
  const markVisible = (): void => {
    const { page, marks, visible, isSearching, changes, changeMarks } = get();
    if (page === 'changes')
      for (const change of changes?.files ?? []) if (isThere(change, get())) changeMarks.set(change.before, true);
    if (page === 'files' && isSearching) return notify('still searching: not all that matches is visible yet');
    if (page === 'files') marks.setAll(visible, true);
    changed();
  };
  return {
    toggle() {
      const { page, marks, visible, position, changeMarks } = get();
      const change = page === 'changes' ? changeAtCursor(get()) : undefined;
      const row = rowAt(get(), position);
      if (change !== undefined) {
        if (!isThere(change, get())) return notify('only what the older version has can be restored from it');
        changeMarks.set(change.before, !changeMarks.has(change.before));
      } else if (page === 'files' && row !== undefined) {
        const { listing } = get().opened;
        if (typeof row === 'object' && !listing.isRead(row.path))
          return attempt(`reading ${displayPath(row.path)}/`, tools, async () => {
            await load.below(row.path);
            markFolder(row.path, tools);
          });
        const { start, end } = typeof row === 'number' ? { start: 0, end: 0 } : row.visible;
        const rows = typeof row === 'number' ? Uint32Array.of(row) : visible.subarray(start, end);
        marks.setAll(rows, !rows.every((index) => marks.has(index)));
        // Marking a file moves the cursor to it, also when a search led there.
        set(withPosition(get(), position));
      }
      changed();
    },
    markVisible() {
      whenWhole('reading all names', tools, markVisible);
    },
    clearMarks() {
      const { page, marks, changeMarks } = get();
      (page === 'changes' ? changeMarks : marks).clear();
      changed();
    },
  };
}

/** Marks everything below a folder that has been read, or unmarks it where all is marked. */
function markFolder(folder: RawPath, { get, set }: BrowseTools): void {
  const { marks, visible, opened } = get();
  const { start, end } = opened.listing.below(folder);
  const files = visible.subarray(firstAtOrAfter(visible, start), firstAtOrAfter(visible, end));
  marks.setAll(files, !files.every((index) => marks.has(index)));
  set({ markings: get().markings + 1 });
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

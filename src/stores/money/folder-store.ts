// What the user does in the view of a folder.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FolderTree } from '../../core/money/analyze/folder/folder-tree.js';
import { displayPath, parentOf } from '../../core/platform/paths/raw-path.js';
import { firstState, type FolderState, markOf, rowsOf, SORTS, toggled } from './folder-state.js';

export interface FolderActions {
  readonly move: (rows: number) => void;
  /** Shows the folder of the cursor. */
  readonly enter: () => void;
  /** Shows the folder above, with the cursor on the one that it comes from. */
  readonly leave: () => void;
  readonly nextSort: () => void;
  readonly toggle: () => void;
  readonly clearMarks: () => void;
  readonly show: (mode: FolderState['mode']) => void;
  readonly notify: (notice: string | undefined) => void;
  readonly quit: () => void;
}

export type FolderStore = StoreApi<FolderState & { readonly do: FolderActions }>;

/** A view of this tree. */
export const createFolderStore = (tree: FolderTree): FolderStore =>
  createStore<FolderState & { readonly do: FolderActions }>()((set, get) => {
    const goTo = (folder: number, from?: number): void => {
      const rows = rowsOf(tree, folder, get().sort);
      const position = Math.max(
        0,
        rows.findIndex((row) => from !== undefined && row.folder === from),
      );
      set({ folder, rows, position });
    };
    const actions: FolderActions = {
      move(by) {
        const { rows, position } = get();
        set({ position: Math.max(0, Math.min(rows.length - 1, position + by)) });
      },
      enter() {
        const { rows, position } = get();
        const row = rows[position];
        if (row?.folder !== undefined) goTo(row.folder);
      },
      leave() {
        const { folder } = get();
        const parent = tree.parent(folder);
        if (parent !== undefined) goTo(parent, folder);
      },
      nextSort() {
        const { sort, folder, rows, position } = get();
        const next = SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'size';
        const sorted = rowsOf(tree, folder, next);
        const path = rows[position]?.path;
        set({
          sort: next,
          rows: sorted,
          position: Math.max(
            0,
            sorted.findIndex((row) => row.path === path),
          ),
        });
      },
      toggle() {
        const { rows, position, marks } = get();
        const row = rows[position];
        if (row === undefined) return;
        if (markOf(marks, row.path) !== 'within') {
          set({ marks: toggled(marks, row), position: Math.min(rows.length - 1, position + 1) });
          return;
        }
        let above = parentOf(row.path);
        while (!marks.has(above)) above = parentOf(above);
        set({ notice: `it is in ${displayPath(above)}/, which is marked` });
      },
      clearMarks: () => set({ marks: new Map() }),
      show: (mode) => set({ mode }),
      notify(notice) {
        if (notice !== get().notice) set({ notice });
      },
      quit: () => set({ isOver: true }),
    };
    return { ...firstState(tree), do: actions };
  });

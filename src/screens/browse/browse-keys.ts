// Key bindings for each state of the screen. Data: they are executed, printed on the key line and explained by `?`.
import type { BrowseActions } from '../../stores/browse/actions.js';
import type { BrowseState } from '../../stores/browse/browse-state.js';
import { chosenIn } from '../../stores/browse/browse-state.js';
import { editLine, emptyLine } from '../../ui/line-editor.js';
import { group, moveKeys } from '../../ui/move-keys.js';
import type { Binding } from '../../ui/use-keys.js';
import { refusalText } from './refusal-text.js';

type State = BrowseState & { readonly do: BrowseActions };

/** Sizes of the window that keys depend on. */
export interface KeySize {
  /** Rows of a page. */
  readonly page: number;
  /** True when details are already shown beside the list. */
  readonly isSplit: boolean;
}

/** The keys that have an effect now. */
export function browseKeys(state: State, size: KeySize): readonly Binding[] {
  const { mode, do: act } = state;
  const { page } = size;
  const back = (keys: readonly string[], hint: string): Binding[] =>
    group('view', [{ keys, help: hint, hint, priority: 0, run: () => act.show('list') }]);
  switch (mode.kind) {
    case 'list':
      return listKeys(state, size);
    case 'search':
      return searchKeys(state, page);
    case 'help':
      return [...quit(act), ...back(['any'], 'close')];
    case 'details':
      return [...moveKeys(act.move, page, 'next file'), ...back(['escape', 'i', 'enter'], 'back'), ...quit(act)];
    case 'confirm':
      return [...confirmKeys(state), ...back(['escape'], 'back'), ...quit(act)];
    case 'progress':
      return quit(act, 'stop');
    case 'done':
      return [...back(['enter', 'escape'], 'back to the list'), ...quit(act)];
    default:
      return mode satisfies never;
  }
}

/** The keys of the page behind the help. */
export const listKeys = (state: State, size: KeySize): readonly Binding[] =>
  state.page === 'changes'
    ? changesKeys(state, size)
    : state.page === 'versions'
      ? versionsKeys(state, size)
      : filesKeys(state, size);

const quit = (act: BrowseActions, hint = 'quit', keys = ['q', 'ctrl+c']): Binding[] =>
  group('view', [{ keys, help: hint, hint, priority: 0, run: act.quit }]);

const help = (act: BrowseActions): Binding[] =>
  group('view', [{ keys: ['?'], help: 'these keys', hint: 'help', priority: 0, run: () => act.show('help') }]);

function marking({ do: act }: State, restored: string): Binding[] {
  return group('mark and restore', [
    { keys: ['space'], help: 'mark or unmark', hint: 'mark', run: act.toggle },
    { keys: ['a'], help: 'mark all visible', hint: 'all', priority: 4, run: act.markVisible },
    { keys: ['c'], help: 'clear marks', hint: 'clear', priority: 5, run: act.clearMarks },
    { keys: ['enter'], help: `restore ${restored}`, hint: 'restore', run: act.ask },
  ]);
}

function filesKeys(state: State, { page, isSplit }: KeySize): readonly Binding[] {
  const { do: act, tree } = state;
  const clearSearch = (): void => act.setSearch(emptyLine);
  return [
    ...marking(state, 'what is marked'),
    ...group('filter', [
      { keys: ['/'], help: 'search as you type', hint: 'find', run: () => act.show('search') },
      { keys: ['d'], help: 'next DVC stage', hint: 'stage', priority: 3, run: () => act.cycle('stage') },
      { keys: ['g'], help: 'next git commit', hint: 'commit', priority: 3, run: () => act.cycle('commit') },
      { keys: ['escape'], help: 'clear the search', run: clearSearch },
    ]),
    ...group('view', [
      ...(isSplit ? [] : [info(act)]),
      { keys: ['t'], help: 'folder tree or list', hint: tree === undefined ? 'tree' : 'list', run: act.toggleTree },
      { keys: ['s'], help: 'by name, size or date', hint: 'sort', priority: 2, run: act.nextSort },
      { keys: ['v'], help: 'the version before', hint: 'version', run: () => act.step(-1) },
      { keys: ['V'], help: 'the version after', run: () => act.step(1) },
      { keys: ['D'], help: 'only what changed', hint: 'changes', priority: 2, run: act.toggleChanges },
      { keys: ['H'], help: 'versions of this file', hint: 'history', priority: 3, run: act.showVersions },
    ]),
    ...group('move', tree === undefined ? [] : folding(act)),
    ...moveKeys(act.move, page),
    ...help(act),
    ...quit(act),
  ];
}

const info = (act: BrowseActions): Omit<Binding, 'group'> => ({
  keys: ['i'],
  help: 'details, first lines',
  hint: 'info',
  run: () => act.show('details'),
});

const folding = (act: BrowseActions): Omit<Binding, 'group'>[] => [
  {
    keys: ['right', 'l'],
    help: 'open the folder',
    hint: 'fold',
    hintKeys: ['left', 'right'],
    priority: 2,
    run: () => act.openFolder(true),
  },
  { keys: ['left', 'h'], help: 'close, or go to it', run: () => act.openFolder(false) },
];

function changesKeys(state: State, { page, isSplit }: KeySize): readonly Binding[] {
  const { do: act } = state;
  return [
    ...marking(state, 'from the older version'),
    ...group('view', [
      {
        keys: ['left', 'h'],
        help: 'with an older version',
        hint: 'version',
        hintKeys: ['left', 'right'],
        run: () => act.compareWith(-1),
      },
      { keys: ['right', 'l'], help: 'with a newer version', run: () => act.compareWith(1) },
      ...(isSplit ? [] : [info(act)]),
      { keys: ['D', 'escape'], help: 'all files', hint: 'all files', run: act.toggleChanges },
    ]),
    ...moveKeys(act.move, page),
    ...help(act),
    ...quit(act),
  ];
}

function versionsKeys({ do: act, file }: State, { page }: KeySize): readonly Binding[] {
  const isComparison = file?.comparison !== undefined;
  const chosen: Omit<Binding, 'group'>[] = [
    { keys: ['enter'], help: 'open this version, at the file', hint: 'open', run: act.openFileVersion },
    { keys: ['D'], help: 'what differs from before', hint: 'compare', run: act.compareFile },
  ];
  const back = isComparison ? 'versions' : 'all files';
  return [
    ...group('view', [
      ...(isComparison ? [] : chosen),
      { keys: ['escape', 'H'], help: `back to ${back}`, hint: back, priority: 0, run: act.leaveVersions },
    ]),
    ...moveKeys(act.move, page),
    ...help(act),
    ...quit(act),
  ];
}

function searchKeys({ do: act, search }: State, page: number): readonly Binding[] {
  const keep = (): void => act.show('list');
  const clear = (): void => {
    act.setSearch(emptyLine);
    keep();
  };
  return [
    ...group('move', [
      { keys: ['up'], help: 'one row up', run: () => act.move(-1) },
      { keys: ['down'], help: 'one row down', run: () => act.move(1) },
      { keys: ['pageup'], help: 'one page up', run: () => act.move(-page) },
      { keys: ['pagedown'], help: 'one page down', run: () => act.move(page) },
    ]),
    ...group('filter', [
      { keys: ['enter'], help: 'keep the search', hint: 'keep the search', run: keep },
      { keys: ['escape'], help: 'clear the search', hint: 'clear the search', run: clear },
    ]),
    ...quit(act, 'quit', ['ctrl+c']),
    ...group('filter', [
      // Any other key edits the search text.
      { keys: ['any'], help: 'edit the search', run: (key) => act.setSearch(editLine(search, key)) },
    ]),
  ];
}

function confirmKeys(state: State): readonly Binding[] {
  const { do: act } = state;
  const isCold = chosenIn(state).marks.coldFiles > 0;
  const restore = (): void => {
    const refusal = refusalText(state);
    if (refusal === undefined) act.restore();
    else act.notify(refusal);
  };
  return group('restore', [
    { keys: ['enter'], help: 'restore', hint: 'restore', priority: 0, run: restore },
    ...(isCold ? [{ keys: ['t', 'down'], help: 'next tier', hint: 'tier', run: () => act.nextTier(1) }] : []),
    ...(isCold ? [{ keys: ['up'], help: 'tier before', run: () => act.nextTier(-1) }] : []),
  ]);
}

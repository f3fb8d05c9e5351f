// What each key does in each mode of the browser, as data; and the one place where keys become actions.
import type { BrowseMode, BrowseView } from '../../stores/browse/browse-state.js';
import type { BrowseActions } from '../../stores/browse/actions.js';
import type { Key } from '../../ui/key-decoder.js';
import { actionOf, type Binding } from '../../ui/key-map.js';
import { keyOf } from '../../ui/keys.js';
import { editLine, emptyLine } from '../../ui/line-editor.js';

export type BrowseAction =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'first'
  | 'last'
  | 'open'
  | 'close'
  | 'toggle'
  | 'all'
  | 'clear'
  | 'restore'
  | 'search'
  | 'stage'
  | 'commit'
  | 'clearSearch'
  | 'details'
  | 'tree'
  | 'older'
  | 'newer'
  | 'tier'
  | 'back'
  | 'help'
  | 'quit';

type BrowseBinding = Binding<BrowseAction>;

const MOVES: readonly BrowseBinding[] = [
  { action: 'up', keys: ['up', 'k'], shown: '↑ ↓ k j', help: 'one row', group: 'MOVE' },
  { action: 'down', keys: ['down', 'j'], group: 'MOVE' },
  { action: 'pageUp', keys: ['pageup', 'ctrl+b'], shown: 'pgup pgdn', help: 'one page', group: 'MOVE' },
  { action: 'pageDown', keys: ['pagedown', 'ctrl+f'], group: 'MOVE' },
  { action: 'first', keys: ['home'], shown: 'home end', help: 'first, last', group: 'MOVE' },
  { action: 'last', keys: ['end', 'G'], group: 'MOVE' },
];

const QUIT: BrowseBinding = {
  action: 'quit',
  keys: ['q', 'ctrl+c'],
  shown: 'q',
  word: 'quit',
  help: 'quit',
  group: 'MARK AND RESTORE',
  isPinned: true,
};

const LIST: readonly BrowseBinding[] = [
  ...MOVES,
  { action: 'toggle', keys: ['space'], word: 'mark', help: 'mark or unmark', group: 'MARK AND RESTORE' },
  { action: 'all', keys: ['a'], word: 'all', longWord: 'all visible', help: 'all visible', group: 'MARK AND RESTORE' },
  { action: 'clear', keys: ['c'], word: 'clear', help: 'clear marks', group: 'MARK AND RESTORE' },
  { action: 'search', keys: ['/'], word: 'find', longWord: 'search', help: 'search as you type', group: 'FILTER' },
  { action: 'stage', keys: ['d'], word: 'stage', help: 'next DVC stage', group: 'FILTER' },
  { action: 'commit', keys: ['g'], word: 'commit', help: 'next git commit', group: 'FILTER' },
  { action: 'clearSearch', keys: ['escape'], shown: 'esc', help: 'clear the search', group: 'FILTER' },
  { action: 'restore', keys: ['enter'], word: 'restore', help: 'restore marked', group: 'MARK AND RESTORE' },
  { action: 'details', keys: ['i'], word: 'info', help: 'details, first lines', group: 'VIEW' },
  { action: 'tree', keys: ['t'], word: 'tree', help: 'folder tree or list', group: 'VIEW' },
  { action: 'open', keys: ['right', 'l'], shown: '→ ←', help: 'open, close a folder', group: 'VIEW' },
  { action: 'close', keys: ['left', 'h'], group: 'VIEW' },
  {
    action: 'older',
    keys: ['v'],
    shown: 'v V',
    word: 'version',
    longWord: 'version before, after',
    help: 'version before, after',
    group: 'VIEW',
  },
  { action: 'newer', keys: ['V'], group: 'VIEW' },
  { action: 'help', keys: ['?'], word: 'help', group: 'VIEW', isPinned: true },
  QUIT,
];

const SEARCH: readonly BrowseBinding[] = [
  { action: 'up', keys: ['up'], group: 'MOVE' },
  { action: 'down', keys: ['down'], group: 'MOVE' },
  { action: 'pageUp', keys: ['pageup'], group: 'MOVE' },
  { action: 'pageDown', keys: ['pagedown'], group: 'MOVE' },
  { action: 'back', keys: ['enter'], word: 'keep', longWord: 'keep the search', group: 'FILTER' },
  {
    action: 'clearSearch',
    keys: ['escape'],
    shown: 'esc',
    word: 'clear',
    longWord: 'clear the search',
    group: 'FILTER',
  },
  { ...QUIT, keys: ['ctrl+c'], shown: 'ctrl+c' },
];

const CONFIRM: readonly BrowseBinding[] = [
  { action: 'restore', keys: ['enter'], word: 'restore', group: 'CONFIRM' },
  { action: 'tier', keys: ['t'], word: 'change tier', group: 'CONFIRM' },
  { action: 'back', keys: ['escape'], shown: 'esc', word: 'back', group: 'CONFIRM' },
  QUIT,
];

const DETAILS: readonly BrowseBinding[] = [
  { action: 'back', keys: ['escape', 'i', 'enter'], shown: 'esc', word: 'back', group: 'DETAILS' },
  QUIT,
];
const HELP_OPEN: readonly BrowseBinding[] = [
  { action: 'back', keys: ['?', 'escape'], shown: '? esc', word: 'close', group: 'HELP' },
  QUIT,
];
const PROGRESS: readonly BrowseBinding[] = [{ ...QUIT, word: 'stop' }];
const DONE: readonly BrowseBinding[] = [
  { action: 'back', keys: ['enter', 'escape'], shown: 'enter', word: 'back to the list', group: 'DONE' },
  QUIT,
];

const BINDINGS: Readonly<Record<BrowseMode['kind'], readonly BrowseBinding[]>> = {
  list: LIST,
  search: SEARCH,
  help: HELP_OPEN,
  confirm: CONFIRM,
  details: DETAILS,
  progress: PROGRESS,
  done: DONE,
};

/** The keys that do something now. */
export const bindingsFor = ({ mode, marks }: BrowseView): readonly BrowseBinding[] =>
  BINDINGS[mode.kind].filter(({ action }) => action !== 'tier' || marks.coldFiles > 0);

/** What the `?` overlay lists. */
export const HELP_BINDINGS: readonly BrowseBinding[] = LIST;

/** Where a key goes to: what is shown now, and what the screen knows. */
export interface KeyTarget {
  readonly view: BrowseView;
  readonly actions: BrowseActions;
  /** Rows of a page. */
  readonly pageRows: number;
  /** Why a restore is refused now. */
  readonly refusal: string | undefined;
}

/** Does what the key stands for. */
export function handleKey(key: Key, target: KeyTarget): void {
  const { view, actions } = target;
  const { search } = view;
  actions.notify(undefined);
  const action = actionOf(bindingsFor(view), key);
  if (action !== undefined) return HANDLERS[action](target);
  if (view.mode.kind !== 'search') return;
  const edited = editLine(search, keyOf(key));
  if (edited !== search) actions.setSearch(edited);
}

const NOTHING_MARKED = 'nothing is marked: space marks a file, a all that are visible';

const HANDLERS: Readonly<Record<BrowseAction, (target: KeyTarget) => void>> = {
  up: ({ actions }) => actions.move(-1),
  down: ({ actions }) => actions.move(1),
  pageUp: ({ actions, pageRows }) => actions.move(-pageRows),
  pageDown: ({ actions, pageRows }) => actions.move(pageRows),
  first: ({ actions }) => actions.moveTo('first'),
  last: ({ actions }) => actions.moveTo('last'),
  open: ({ actions }) => actions.openFolder(true),
  close: ({ actions }) => actions.openFolder(false),
  toggle: ({ actions }) => actions.toggle(),
  all: ({ actions }) => actions.markVisible(),
  clear: ({ actions }) => actions.clearMarks(),
  restore({ actions, view, refusal }) {
    if (view.mode.kind === 'confirm') actions.restore(refusal);
    else if (view.marks.files > 0) actions.show('confirm');
    else actions.notify(NOTHING_MARKED);
  },
  search: ({ actions }) => actions.show('search'),
  stage: ({ actions }) => actions.cycle('stage'),
  commit: ({ actions }) => actions.cycle('commit'),
  clearSearch({ actions }) {
    actions.setSearch(emptyLine);
    actions.show('list');
  },
  details: ({ actions }) => actions.showDetails(),
  tree: ({ actions }) => actions.toggleTree(),
  older: ({ actions }) => actions.step(-1),
  newer: ({ actions }) => actions.step(1),
  tier: ({ actions }) => actions.nextTier(),
  back: ({ actions }) => actions.show('list'),
  help: ({ actions }) => actions.show('help'),
  quit: ({ actions }) => actions.quit(),
};

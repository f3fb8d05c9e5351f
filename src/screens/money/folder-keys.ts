// Key bindings of the view of a folder.
import type { FolderActions } from '../../stores/money/folder-store.js';
import type { FolderState } from '../../stores/money/folder-state.js';
import { group, moveKeys } from '../../ui/move-keys.js';
import type { Binding } from '../../ui/use-keys.js';

type State = FolderState & { readonly do: FolderActions };

const quit = (act: FolderActions): Binding[] =>
  group('view', [
    { keys: ['q', 'ctrl+c'], help: 'leave, and print the line', hint: 'quit', priority: 0, run: act.quit },
  ]);

/** The keys that have an effect now; `page` is the number of rows of a page. */
export function folderKeys(state: State, page: number): readonly Binding[] {
  const { mode, do: act } = state;
  const back = (keys: readonly string[], hint: string): Binding[] =>
    group('view', [{ keys, help: hint, hint, priority: 0, run: () => act.show('list') }]);
  switch (mode) {
    case 'list':
      return listKeys(act, page);
    case 'line':
      return [...back(['escape', 'u', 'enter'], 'back'), ...quit(act)];
    case 'help':
      return [...quit(act), ...back(['any'], 'close')];
    default:
      return mode satisfies never;
  }
}

/** The keys of the list, which the help explains. */
export const listKeys = (act: FolderActions, page: number): readonly Binding[] => [
  ...group('mark and upload', [
    { keys: ['space'], help: 'mark or unmark', hint: 'mark', run: act.toggle },
    { keys: ['c'], help: 'clear marks', hint: 'clear', priority: 5, run: act.clearMarks },
    { keys: ['u'], help: 'the upload line, and costs', hint: 'upload', priority: 1, run: () => act.show('line') },
  ]),
  ...group('view', [
    { keys: ['s'], help: 'by size, age, old bytes, name', hint: 'sort', priority: 2, run: act.nextSort },
    { keys: ['enter', 'right', 'l'], help: 'into the folder', hint: 'open', priority: 2, run: act.enter },
    {
      keys: ['left', 'h', 'escape', 'backspace'],
      help: 'to the folder above',
      hint: 'up',
      priority: 3,
      run: act.leave,
    },
  ]),
  ...moveKeys(act.move, page),
  ...group('view', [{ keys: ['?'], help: 'these keys', hint: 'help', priority: 0, run: () => act.show('help') }]),
  ...quit(act),
];

// Key bindings of the dashboard. Data: they are executed, printed on the key line and explained by `?`.
import { editLine, emptyLine } from '../../ui/line-editor.js';
import { group, moveKeys } from '../../ui/move-keys.js';
import type { Binding } from '../../ui/use-keys.js';
import type { Dashboard } from './dashboard-context.js';
import type { DashboardView } from './view.js';

/** The keys that have an effect now. `page`: number of rows of a page. */
export function dashboardKeys(dashboard: Dashboard, views: readonly DashboardView[], page: number): readonly Binding[] {
  const { mode, do: act } = dashboard.store.getState();
  if (mode === 'list') return listKeys(dashboard, views, page);
  if (mode === 'filter') return filterKeys(dashboard, page);
  return [
    ...quitKeys(dashboard),
    ...group('view', [{ keys: ['any'], help: 'close', hint: 'close', priority: 0, run: () => act.turn('list') }]),
  ];
}

/** The keys of the view, also while the help is in front of it. */
export function listKeys(dashboard: Dashboard, views: readonly DashboardView[], page: number): readonly Binding[] {
  const { view: id, places, do: act } = dashboard.store.getState();
  const view = views.find((one) => one.id === id);
  const isList = view?.list !== undefined;
  return [
    ...(view?.bindings?.(dashboard) ?? []),
    ...group('views', [
      {
        keys: ['tab', 'right'],
        help: 'next view',
        hint: 'view',
        hintKeys: ['tab', 'left', 'right'],
        run: () => act.step(1),
      },
      { keys: ['shift+tab', 'left'], help: 'view before', run: () => act.step(-1) },
      {
        keys: views.map((_, at) => String(at + 1)),
        help: 'the view of that number',
        hint: 'jump',
        hintKeys: [`1-${views.length}`],
        priority: 3,
        run: ({ id: digit }) => act.show(views[Number(digit) - 1]?.id ?? id),
      },
    ]),
    ...(isList ? moveKeys(act.move, page, 'row') : []),
    ...group('this view', [
      ...(isList ? rowKeys(dashboard, view, places[id].isOpen) : []),
      ...(view?.follows === undefined
        ? [{ keys: ['R'], help: 'read anew', hint: 'refresh', priority: 2, run: act.refresh }]
        : []),
      { keys: ['?'], help: 'these keys', hint: 'help', priority: 0, run: () => act.turn('help') },
    ]),
    ...quitKeys(dashboard),
  ];
}

function rowKeys(dashboard: Dashboard, view: DashboardView, isOpen: boolean): Omit<Binding, 'group'>[] {
  const { view: id, places, do: act } = dashboard.store.getState();
  const browse = (): void => {
    const wish = view.browsable?.(dashboard);
    if (wish !== undefined && 'url' in wish) act.browse(wish);
    else act.notify(wish?.refusal);
  };
  const back = (): void => (isOpen ? act.open(false) : act.setFilter(emptyLine));
  const isFiltered = places[id].filter.text !== '';
  return [
    { keys: ['/'], help: 'filter as you type', hint: 'filter', priority: 2, run: () => act.turn('filter') },
    { keys: ['s'], help: 'another order', hint: 'sort', priority: 3, run: act.nextSort },
    { keys: ['enter'], help: 'details', hint: 'details', priority: 4, run: () => act.open(!isOpen) },
    ...(view.browsable === undefined
      ? []
      : [{ keys: ['b'], help: 'browse the upload', hint: 'browse', priority: 3, run: browse }]),
    { keys: ['escape'], help: 'back', ...(isOpen || isFiltered ? { hint: 'back', priority: 1 } : {}), run: back },
  ];
}

const quitKeys = ({ store }: Dashboard, keys: readonly string[] = ['q', 'Q', 'ctrl+c']): Binding[] =>
  group('this view', [{ keys, help: 'quit', hint: 'quit', priority: 0, run: store.getState().do.quit }]);

function filterKeys(dashboard: Dashboard, page: number): readonly Binding[] {
  const { view, places, do: act } = dashboard.store.getState();
  const keep = (): void => act.turn('list');
  const clear = (): void => {
    act.setFilter(emptyLine);
    keep();
  };
  return [
    // Letters, home and end edit the text.
    ...moveKeys(act.move, page)
      .slice(0, 4)
      .map((one) => ({ ...one, keys: one.keys.slice(0, 1) })),
    ...group('filter', [
      { keys: ['enter'], help: 'keep the filter', hint: 'keep the filter', run: keep },
      { keys: ['escape'], help: 'clear the filter', hint: 'clear the filter', run: clear },
    ]),
    ...quitKeys(dashboard, ['ctrl+c']),
    // Any other key edits the filter.
    ...group('filter', [
      { keys: ['any'], help: 'edit the filter', run: (key) => act.setFilter(editLine(places[view].filter, key)) },
    ]),
  ];
}

import { expect, test } from 'vitest';
import { createDashboardStore, cursorIn, rowsAt } from '../../../src/stores/dashboard/dashboard-store.js';
import { createSource, type Source } from '../../../src/stores/dashboard/source.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import { listModel, type ViewModel } from '../../../src/stores/dashboard/view-model.js';

interface Named {
  readonly id: string;
  readonly size: number;
}

const names = (...ids: readonly string[]): readonly Named[] => ids.map((id, at) => ({ id, size: at % 3 }));

function open(first: readonly Named[]) {
  let rows = first;
  const items: Source<readonly Named[]> = createSource({ now: () => new Date(0), read: () => Promise.resolve(rows) });
  const none: readonly Named[] = [];
  const list = listModel<Named>({
    items: () => items.getState().value ?? none,
    text: ({ id }) => id,
    sorts: [
      ['name', (one, other) => one.id.localeCompare(other.id)],
      ['size', (one, other) => other.size - one.size],
    ],
  });
  const views: readonly ViewModel[] = [
    { id: 'overview', title: 'Overview', reads: () => [] },
    { id: 'costs', title: 'Costs', reads: () => [], list },
    { id: 'uploads', title: 'Uploads', reads: () => [items], list },
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these views read nothing else
  const sources = {} as DashboardSources;
  const options = { views, view: 'uploads', sources } as const;
  const store = createDashboardStore(options);
  const at = (): string | undefined => {
    const { view, places } = store.getState();
    const shown = rowsAt(list, places[view], sources);
    return shown[cursorIn(shown, places[view])]?.id;
  };
  const become = async (next: readonly Named[]): Promise<void> => {
    rows = next;
    await items.getState().refresh();
  };
  return {
    store,
    act: store.getState().do,
    at,
    become,
    shown: () => rowsAt(list, store.getState().places[store.getState().view], sources).map(({ id }) => id),
  };
}

test('the cursor stays on its row when others come and go, and near it when it goes itself', async () => {
  const { act, at, become } = open(names('b', 'd', 'f'));
  await become(names('b', 'd', 'f'));
  expect(at()).toBe('b');
  act.move(1);
  await become(names('a', 'b', 'c', 'd', 'f'));
  expect(at()).toBe('d');
  await become(names('a', 'b', 'f'));

  expect(at()).toBe('b');
  await become([]);
  expect(at()).toBeUndefined();
});

test('the cursor moves by rows and pages and stops at both ends', async () => {
  const { act, at, become } = open([]);
  act.move(5);
  await become(names('a', 'b', 'c'));
  act.move(Infinity);
  expect(at()).toBe('c');
  act.move(1);
  expect(at()).toBe('c');
  act.move(-Infinity);

  expect(at()).toBe('a');
});

test('a filter leaves the rows that hold it, whatever its case, and the cursor comes back to its row without it', async () => {
  const { act, at, become, shown } = open([]);
  await become(names('run-1', 'Run-2', 'other'));
  act.move(-Infinity);
  act.setFilter({ text: 'RUN', cursor: 3 });
  expect(shown()).toEqual(['run-1', 'Run-2']);
  expect(at()).toBe('run-1');
  act.setFilter({ text: '', cursor: 0 });

  expect(at()).toBe('other');
});

test('sorts go round', async () => {
  const { act, become, shown, store } = open([]);
  await become(names('b', 'a', 'c'));
  expect(shown()).toEqual(['a', 'b', 'c']);
  act.nextSort();
  expect(shown()).toEqual(['c', 'a', 'b']);
  expect(store.getState().places.uploads.sort).toBe(1);
  act.nextSort();

  expect(store.getState().places.uploads.sort).toBe(0);
});

test('each view keeps its own place, and tabs go round in both directions', async () => {
  const { act, at, become, store } = open([]);
  await become(names('a', 'b', 'c'));
  act.move(2);
  act.setFilter({ text: 'c', cursor: 1 });
  act.open(true);
  act.step(1);
  expect(store.getState().view).toBe('overview');
  act.step(-2);
  expect([store.getState().view, at()]).toEqual(['costs', 'a']);
  act.show('uploads');

  expect(store.getState().places.uploads).toMatchObject({ filter: { text: 'c' }, isOpen: true });
  expect(at()).toBe('c');
});

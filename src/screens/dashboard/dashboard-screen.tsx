// Wiring: title, tabs, the current view, status and keys.
import { type ReactElement, useMemo } from 'react';
import { LIVE_MS } from '../../stores/dashboard/refreshing.js';
import type { AnySource } from '../../stores/dashboard/source.js';
import { Empty } from '../../ui/empty.js';
import { formatCount, formatDuration } from '../../ui/format.js';
import { clockTime } from '../../ui/format-time.js';
import { HelpOverlay } from '../../ui/help-overlay.js';
import { bodyRows, Screen } from '../../ui/screen.js';
import { SearchLine } from '../../ui/search-line.js';
import { BASE_COLUMNS, useSize, WIDE_COLUMNS } from '../../ui/size.js';
import { BETWEEN, type Message, Status } from '../../ui/status.js';
import { Tabs } from '../../ui/tabs.js';
import { widthOf } from '../../ui/text.js';
import { useKeys } from '../../ui/use-keys.js';
import { cursorIn, rowsAt } from '../../stores/dashboard/dashboard-store.js';
import { useNames } from '../use-names.js';
import { type Dashboard, DashboardContext, useDashboard, useTextOf, useView } from './dashboard-context.js';
import { dashboardKeys, listKeys } from './dashboard-keys.js';
import type { DashboardView } from './view.js';

interface Props {
  readonly dashboard: Dashboard;
  readonly views: readonly DashboardView[];
}

/** The dashboard over its store. */
export function DashboardScreen({ dashboard, views }: Props): ReactElement {
  return (
    <DashboardContext value={dashboard}>
      <Frame views={views} />
    </DashboardContext>
  );
}

function Frame({ views }: Pick<Props, 'views'>): ReactElement | null {
  const dashboard = useDashboard();
  const { store, sources, target } = dashboard;
  const names = useNames();
  const { rows } = useSize();
  const page = Math.max(1, bodyRows(rows) - 2);
  useKeys(() => {
    store.getState().do.notify(undefined);
    return dashboardKeys(dashboard, views, page);
  });
  const id = useView(({ view }) => view);
  const mode = useView((state) => state.mode);
  const view = views.find((one) => one.id === id);
  const reads = useMemo(
    () => [view?.reads, view?.asks, view?.follows].flatMap((listed) => listed?.(sources) ?? []),
    [view, sources],
  );
  // Updates the key line: keys appear and disappear with the data, and with what the user does.
  const watched = useMemo(() => [...reads, store], [reads, store]);
  useTextOf(watched, () => JSON.stringify(dashboardKeys(dashboard, views, page)));
  const context = useContextText(view, reads);
  // The same element while only the time in the title changes: its content is not drawn again.
  const body = useMemo(() => view && <Body view={view} />, [view]);
  if (view === undefined) return null;
  return (
    <Screen
      title="archiver dashboard"
      where={names(target.url ?? 'this computer')}
      context={names(context)}
      bar={
        <Tabs
          tabs={views.map(({ title, lacks }) => ({ name: title, isDisabled: lacks?.(target) !== undefined }))}
          active={views.indexOf(view)}
        />
      }
      status={<StatusBar view={view} reads={reads} />}
      bindings={dashboardKeys(dashboard, views, page)}
    >
      {mode === 'help' ? (
        <HelpOverlay title="Keys in the dashboard" bindings={listKeys(dashboard, views, page)} />
      ) : (
        body
      )}
    </Screen>
  );
}

/** The body of a view, or what it lacks. */
export function Body({ view: { View, lacks } }: { readonly view: DashboardView }): ReactElement {
  const { target } = useDashboard();
  const lack = lacks?.(target);
  return lack === undefined ? <View /> : <Empty sentence="No store is named." next={lack} />;
}

/** The location of the store, and the age of the figures. */
function useContextText(view: DashboardView | undefined, reads: readonly AnySource[]): string {
  const { target, everyMs, sources } = useDashboard();
  const { columns } = useSize();
  const isWide = columns >= WIDE_COLUMNS;
  const time = useTextOf(reads, () => timeOf(reads));
  const every = useTextOf(reads, () => (view === undefined ? '' : rateOf(view, sources, everyMs)));
  if (columns < BASE_COLUMNS) return time;
  const profile = isWide && target.profile !== undefined ? `profile ${target.profile}` : undefined;
  const read = isWide && time !== '' ? `refreshed ${time}` : time;
  const fresh = [read, every].filter((part) => part !== '').join(isWide && time !== '' ? ', ' : ' ');
  return [target.region, profile, fresh].filter((part) => part !== undefined).join('  ');
}

/**
 * How often the sources of a view are read: `every 5s`, `every 0.5s-1m` when some change by themselves and others have to rest; `R` when
 * some are only read when the user asks for it.
 */
function rateOf({ reads, asks, live }: DashboardView, sources: Dashboard['sources'], everyMs: number): string {
  const changing = live?.(sources) ?? [];
  const rests = reads(sources).map((source) =>
    changing.includes(source) ? LIVE_MS : Math.max(everyMs, source.getState().restMs()),
  );
  const [least, most] = [Math.min(...rests), Math.max(...rests)].map(formatDuration);
  const every = least === most ? `every ${least}` : `every ${least}-${most}`;
  return [...(rests.length === 0 ? [] : [every]), ...((asks?.(sources) ?? []).length === 0 ? [] : ['or on R'])].join(
    ' ',
  );
}

/** Time of the latest read of these sources. */
function timeOf(reads: readonly AnySource[]): string {
  const times = reads.flatMap((source) => source.getState().readAt?.getTime() ?? []);
  return times.length === 0 ? '' : clockTime(new Date(Math.max(...times)));
}

/** The state of the view, or a notice to the user; on the right the position of the cursor. */
function StatusBar({
  view,
  reads,
}: {
  readonly view: DashboardView;
  readonly reads: readonly AnySource[];
}): ReactElement {
  const dashboard = useDashboard();
  const names = useNames();
  const notice = useView((state) => state.notice);
  const mode = useView((state) => state.mode);
  useView(({ places }) => places[view.id]);
  useTextOf(reads, () => JSON.stringify([summaryOf(view, dashboard), positionOf(view, dashboard)]));
  const { columns } = useSize();
  const position = positionOf(view, dashboard);
  if (mode === 'filter') return <FilterBar view={view} position={position} />;
  const message = notice === undefined ? summaryOf(view, dashboard) : ({ text: notice, tone: 'warn' } as const);
  const parts = message.text.split(BETWEEN).map(names);
  // How old the figures are counts for more than which of them the cursor is on.
  const hasRoom = message.tone !== 'bad' || widthOf(`✗ ${parts[0] ?? ''}  ${position}`) <= columns - 2;
  return <Status message={{ ...message, text: parts.join(BETWEEN) }} right={hasRoom ? position : ''} />;
}

const summaryOf = (view: DashboardView, dashboard: Dashboard): Message =>
  view.lacks?.(dashboard.target) === undefined ? view.summary(dashboard) : { text: '' };

/** The position, such as `3 of 500`, and the total without the filter. */
function positionOf({ id, list }: DashboardView, { store, sources }: Dashboard): string {
  const total = list?.total(sources) ?? 0;
  if (list === undefined || total === 0) return '';
  const place = store.getState().places[id];
  const rows = rowsAt(list, place, sources);
  const sort = place.sort === 0 ? '' : `by ${list.sorts[place.sort] ?? ''}  `;
  const found = rows.length === total ? '' : `, ${formatCount(total)} in all`;
  return `${sort}${formatCount(cursorIn(rows, place) + 1)} of ${formatCount(rows.length)}${found}`;
}

function FilterBar({ view, position }: { readonly view: DashboardView; readonly position: string }): ReactElement {
  const filter = useView(({ places }) => places[view.id].filter);
  return <SearchLine label="filter" line={filter} placeholder="part of a row" found={position} />;
}

// Reads one view once, as text and as data.
import { renderToString } from 'ink';
import type { Document } from '../../json/documents.js';
import { createKeySource } from '../../ui/keys.js';
import { Kit } from '../../ui/kit.js';
import { fixedSize } from '../../ui/size.js';
import { type Dashboard, DashboardContext } from './dashboard-context.js';
import { Body } from './dashboard-screen.js';
import type { DashboardView } from './view.js';

const DEFAULT_COLUMNS = 120;
/** Number of rows of a list that are printed; the document has all of them. */
const MOST_ROWS = 200;
/** Rows around a list. */
const OTHER_ROWS = 40;

export interface ReadView {
  readonly view: DashboardView;
  readonly document: Document<'dashboard'>;
  /** Sentences about what could not be read. */
  readonly problems: readonly string[];
}

/** Reads everything that the view shows. */
export async function readOnce(dashboard: Dashboard, views: readonly DashboardView[]): Promise<ReadView> {
  const { store, sources, target } = dashboard;
  const view = views.find(({ id }) => id === store.getState().view);
  if (view === undefined) throw new Error(`there is no view ${store.getState().view}`);
  const all = [...view.reads(sources), ...(view.asks?.(sources) ?? [])];
  await Promise.all(all.map((source) => source.getState().refresh()));
  const problems = all.flatMap((source) => source.getState().problem ?? []);
  const document = { view: view.id, location: target.url, troubles: problems, ...view.toJson(dashboard) };
  return { view, document, problems };
}

/** Renders the view as text of this many columns, without escape codes. */
export async function renderView(
  dashboard: Dashboard,
  view: DashboardView,
  columns = DEFAULT_COLUMNS,
): Promise<string> {
  const rows = Math.min(view.list?.total(dashboard.sources) ?? 0, MOST_ROWS) + OTHER_ROWS;
  const text = renderToString(
    <Kit keys={createKeySource()} size={fixedSize(columns, rows)} look={{ unicode: true, color: false }}>
      <DashboardContext value={{ ...dashboard, isPrinted: true }}>
        <Body view={view} />
      </DashboardContext>
    </Kit>,
    { columns },
  );
  return `${text.replaceAll(/ +$/gm, '').trimEnd()}\n`;
}

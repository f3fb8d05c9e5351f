// The real dashboard over what a test has in its store, with keys as a terminal sends them.
import { render, renderToString } from 'ink';
import { PassThrough } from 'node:stream';
import type { ReactElement } from 'react';
import { onTestFinished } from 'vitest';
import type { Dashboard } from '../../../src/screens/dashboard/dashboard-context.js';
import { DashboardScreen } from '../../../src/screens/dashboard/dashboard-screen.js';
import { DASHBOARD_VIEWS } from '../../../src/screens/dashboard/views.js';
import { createDashboardStore } from '../../../src/stores/dashboard/dashboard-store.js';
import { createSource, type Source } from '../../../src/stores/dashboard/source.js';
import type { StoreSources } from '../../../src/stores/dashboard/store-sources.js';
import type { ViewId } from '../../../src/stores/dashboard/view-model.js';
import { createKeySource, type KeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import { fixedSize } from '../../../src/ui/size.js';

export const NOW = new Date('2026-03-04T12:04:31Z');

export interface StoreDashboard {
  readonly dashboard: Dashboard;
  /** Reads what the view shows, to the end. */
  readonly refresh: () => Promise<void>;
  readonly press: (keys: string) => void;
  /** The rows of the screen at this size, without colours and blanks at their ends. */
  readonly frame: (columns: number, rows: number, look?: { unicode: boolean; color: boolean }) => string[];
  /** How often a frame was drawn since the dashboard was opened. */
  readonly frames: () => number;
}

const LOOK = { unicode: true, color: false };
// oxlint-disable-next-line no-control-regex
const CODES = /\u001b\[[\d;]*m/g;

/** A source that gives this, or fails with it. */
export const sourceOf = <T,>(value: T | Error): Source<T> =>
  createSource<T>({
    now: () => NOW,
    read: () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value)),
  });

const never = new Error('not of this test');

/** Mounts a view of a store, so that it obeys keys. */
export function openStoreDashboard(
  view: ViewId,
  sources: Partial<StoreSources>,
  { columns = 80, rows = 24, url = 's3://acme-archive/lab' } = {},
): StoreDashboard {
  const store = {
    inventory: sourceOf<never>(never),
    fleet: sourceOf<never>(never),
    analysis: sourceOf<never>(never),
    retryInventory: () => undefined,
    ...sources,
  };
  const all = {
    spend: sourceOf<never>(never),
    budgets: sourceOf<never>(never),
    uploads: sourceOf<never>(never),
    sentOf: () => sourceOf<never>(never),
    hasSharedBudgets: false,
    store,
  };
  const dashboard: Dashboard = {
    store: createDashboardStore({ views: DASHBOARD_VIEWS, view, sources: all }),
    sources: all,
    target: { url, region: 'us-west-2', profile: undefined },
    everyMs: 5000,
    userHome: '/home/lab',
  };
  const screen = (keys: KeySource, width: number, height: number, look = LOOK): ReactElement => (
    <Kit keys={keys} size={fixedSize(width, height)} look={look}>
      <DashboardScreen dashboard={dashboard} views={DASHBOARD_VIEWS} />
    </Kit>
  );
  const keys = createKeySource();
  let frames = 0;
  const stdout = Object.assign(new PassThrough(), { columns, rows });
  stdout.on('data', () => frames++);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  const app = render(screen(keys, columns, rows), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    patchConsole: false,
  });
  onTestFinished(() => app.unmount());
  return {
    dashboard,
    async refresh() {
      const shown = DASHBOARD_VIEWS.find(({ id }) => id === dashboard.store.getState().view);
      await Promise.all((shown?.reads(all) ?? []).map((source) => source.getState().refresh()));
    },
    press: (typed) => keys.write(typed),
    frame: (width, height, look) =>
      renderToString(screen(createKeySource(), width, height, look), { columns: width })
        .replaceAll(CODES, '')
        .split('\n')
        .map((line) => line.trimEnd()),
    frames: () => frames,
  };
}

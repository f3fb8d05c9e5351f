// The real dashboard over what a test has in its store.
import { DASHBOARD_VIEWS } from '../../../src/screens/dashboard/views.js';
import { createSource, type Source } from '../../../src/stores/dashboard/source.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import type { StoreSources } from '../../../src/stores/dashboard/store-sources.js';
import type { ViewId } from '../../../src/stores/dashboard/view-model.js';
import { NOW, openDashboard, type OpenedDashboard } from './open-dashboard.js';

export interface StoreDashboard extends OpenedDashboard {
  /** Reads what the view shows, to the end. */
  readonly refresh: () => Promise<void>;
}

/** A source that gives this, or fails with it. */
export const sourceOf = <T,>(value: T | Error): Source<T> =>
  createSource<T>({
    now: () => NOW,
    read: () => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value)),
  });

const other = <T,>(): Source<T> => sourceOf<T>(new Error('not of this test'));

/** Mounts a view of a store, so that it obeys keys. */
export function openStoreDashboard(
  view: ViewId,
  sources: Partial<StoreSources>,
  local: Partial<DashboardSources> = {},
): StoreDashboard {
  const all = {
    spend: other<never>(),
    budgets: other<never>(),
    uploads: other<never>(),
    sentOf: () => other<never>(),
    hasSharedBudgets: false,
    ...local,
    store: {
      inventory: other<never>(),
      fleet: other<never>(),
      plans: other<never>(),
      analysis: other<never>(),
      retryInventory: () => undefined,
      ...sources,
    },
  };
  const opened = openDashboard(all, { url: 's3://acme-archive/lab', region: 'us-west-2' });
  const { store } = opened.dashboard;
  store.getState().do.show(view);
  return {
    ...opened,
    async refresh() {
      const shown = DASHBOARD_VIEWS.find(({ id }) => id === store.getState().view);
      await Promise.all((shown?.reads(all) ?? []).map((source) => source.getState().refresh()));
    },
  };
}

// Runs the dashboard on a terminal.
import { type ReactElement, useLayoutEffect } from 'react';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import type { Dashboard } from './dashboard-context.js';
import { DashboardScreen } from './dashboard-screen.js';
import { DASHBOARD_VIEWS } from './views.js';

/** Shows the dashboard until the user leaves it, or wants to browse. @throws errors of drawing */
export async function showDashboard(dashboard: Dashboard, options: ScreenOptions): Promise<void> {
  await runScreen((quit) => <Shown dashboard={dashboard} onQuit={quit} />, options);
}

function Shown({ dashboard, onQuit }: { readonly dashboard: Dashboard; readonly onQuit: () => void }): ReactElement {
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(
    () => dashboard.store.subscribe(({ isOver, wish }) => (isOver || wish !== undefined) && onQuit()),
    [dashboard, onQuit],
  );
  return <DashboardScreen dashboard={dashboard} views={DASHBOARD_VIEWS} />;
}

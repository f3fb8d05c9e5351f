// Runs the dashboard on a terminal.
import { type ReactElement, useLayoutEffect } from 'react';
import { runScreen, type ScreenOptions } from '../../ui/run-screen.js';
import type { Dashboard } from './dashboard-context.js';
import { DashboardScreen } from './dashboard-screen.js';
import type { DashboardView } from './view.js';

/** Shows the dashboard until the user leaves it, or wants to browse. @throws errors of drawing */
export async function showDashboard(
  dashboard: Dashboard,
  views: readonly DashboardView[],
  options: ScreenOptions,
): Promise<void> {
  await runScreen((quit) => <Shown dashboard={dashboard} views={views} onQuit={quit} />, options);
}

interface Props {
  readonly dashboard: Dashboard;
  readonly views: readonly DashboardView[];
  readonly onQuit: () => void;
}

function Shown({ dashboard, views, onQuit }: Props): ReactElement {
  // Not a passive effect: those may run after the next key.
  useLayoutEffect(
    () => dashboard.store.subscribe(({ isOver, wish }) => (isOver || wish !== undefined) && onQuit()),
    [dashboard, onQuit],
  );
  return <DashboardScreen dashboard={dashboard} views={views} />;
}

// The views in the order of their tabs. Keys, `--view`, help and `--once` follow this list.
import { overviewView } from './views/overview-view.js';
import type { DashboardView } from './view.js';

export const DASHBOARD_VIEWS: readonly DashboardView[] = [overviewView];

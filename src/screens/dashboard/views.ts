// The views in the order of their tabs. Keys, `--view`, help and `--once` follow this list.
import { analyzeView } from './views/analyze-view.js';
import { costsView } from './views/costs-view.js';
import { fleetView } from './views/fleet-view.js';
import { inventoryView } from './views/inventory-view.js';
import { overviewView } from './views/overview-view.js';
import { uploadsView } from './views/uploads-view.js';
import type { DashboardView } from './view.js';

export const DASHBOARD_VIEWS: readonly DashboardView[] = [
  overviewView,
  costsView,
  uploadsView,
  inventoryView,
  analyzeView,
  fleetView,
];

// The flags of `archiver dashboard`, for its declaration and for the code that runs it.
import { flag, type Values } from '../../cli/flag.js';
import { budgetStoreFlag } from '../kit/budget-flags.js';
import type { ViewId } from '../../stores/dashboard/view-model.js';
import { detectedStoreFlags } from '../kit/flags.js';

/** Ids of the views in the order of the tabs. The list of views itself is not used, as it would load the code that draws them. */
export const VIEW_IDS = [
  'overview',
  'costs',
  'uploads',
  'inventory',
  'analyze',
  'fleet',
] as const satisfies readonly ViewId[];

/** Minimum refresh interval (in ms): reading more often would only keep the disk busy. */
export const LEAST_REFRESH_MS = 1000;

export const flags = {
  view: flag.choice(VIEW_IDS, { default: 'overview', describe: 'what is shown first, or printed with --once' }),
  refresh: flag.duration({ default: '5s', describe: 'time from one reading to the next' }),
  once: flag.on({ describe: 'print one view and end' }),
  ...budgetStoreFlag,
  ...detectedStoreFlags,
};

/** Values of the flags of `dashboard`. */
export type DashboardValues = Values<typeof flags>;

// The flags of `archiver dashboard`, for its declaration and for what runs it.
import { flag, type Values } from '../../cli/flag.js';
import { budgetStoreFlag } from '../../cli/settings.js';
import type { ViewId } from '../../stores/dashboard/view-model.js';
import { detectedStoreFlags } from '../kit/flags.js';

/** Reading more often would only keep the disk busy. */
export const LEAST_REFRESH_MS = 1000;

/** Here, so that nothing of the dashboard is loaded before it runs. */
export const VIEWS = [
  'overview',
  'costs',
  'uploads',
  'inventory',
  'analyze',
  'fleet',
] as const satisfies readonly ViewId[];

export const flags = {
  view: flag.choice(VIEWS, { default: 'overview', describe: 'what is shown first, or printed with --once' }),
  refresh: flag.duration({ default: '5s', describe: 'time from one reading to the next' }),
  once: flag.on({ describe: 'print one view and end' }),
  ...budgetStoreFlag,
  ...detectedStoreFlags,
};

/** What the flags become. */
export type DashboardValues = Values<typeof flags>;

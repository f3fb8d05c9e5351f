import type { Command } from '../../cli/command.js';
import { command as benchmark } from './benchmark.js';
import { command as metrics } from './metrics.js';
import { command as metricsChecks } from './metrics/checks.js';
import { command as profileCollect } from './profile/collect.js';
import { command as profileList } from './profile/list.js';
import { command as profileStats } from './profile/stats.js';

export const COMMANDS: readonly Command[] = [
  benchmark,
  metrics,
  metricsChecks,
  profileCollect,
  profileList,
  profileStats,
];

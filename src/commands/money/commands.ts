import type { Command } from '../../cli/command.js';
import { command as analyze } from './analyze.js';
import { budgetCommands } from './budget/commands.js';
import { command as costBenchmarkCompare } from './cost/benchmark-compare.js';
import { command as costBurnrate } from './cost/burnrate.js';
import { command as costEstimate } from './cost/estimate.js';
import { command as costExhaustion } from './cost/exhaustion.js';
import { command as costForecast } from './cost/forecast.js';
import { command as costHistory } from './cost/history.js';
import { command as costPricing } from './cost/pricing.js';
import { command as costProject } from './cost/project.js';
import { command as costProjects } from './cost/projects.js';
import { command as costRebase } from './cost/rebase.js';
import { command as costReconcile } from './cost/reconcile.js';
import { command as costReport } from './cost/report.js';
import { command as costSummary } from './cost/summary.js';
import { command as costUpload } from './cost/upload.js';
import { command as estimate } from './estimate.js';
import { command as lifecycle } from './lifecycle.js';

export const COMMANDS: readonly Command[] = [
  estimate,
  analyze,
  costEstimate,
  costPricing,
  costReport,
  costProjects,
  costProject,
  costSummary,
  costUpload,
  costForecast,
  costBurnrate,
  costExhaustion,
  costBenchmarkCompare,
  costHistory,
  costRebase,
  costReconcile,
  ...budgetCommands('cost budget'),
  ...budgetCommands('budget'),
  lifecycle,
];

// Every command, in one list. Declarations are light: what a command needs is imported inside its `run`.
import type { Command } from '../cli/command.js';
import type { Group } from '../cli/declaration.js';
import { buildTree, type Node } from '../cli/tree.js';
import { command as accessCheck } from './access-check.js';
import { command as alertsConfig } from './alerts/config.js';
import { command as alertsConfigure } from './alerts/configure.js';
import { command as alertsDisable } from './alerts/disable.js';
import { command as alertsEnable } from './alerts/enable.js';
import { command as alertsTest } from './alerts/test.js';
import { command as analyze } from './analyze.js';
import { command as balance } from './balance.js';
import { command as browse } from './browse.js';
import { budgetCommands } from './budget/commands.js';
import { command as completion } from './completion.js';
import { command as config } from './config.js';
import { command as contextCommand } from './context.js';
import { command as contextList } from './context/list.js';
import { command as contextReset } from './context/reset.js';
import { command as contextShow } from './context/show.js';
import { command as contextSwitch } from './context/switch.js';
import { command as costBenchmarkCompare } from './cost/benchmark-compare.js';
import { command as costBurnrate } from './cost/burnrate.js';
import { command as costEstimate } from './cost/estimate.js';
import { command as costExhaustion } from './cost/exhaustion.js';
import { command as costForecast } from './cost/forecast.js';
import { command as costHistory } from './cost/history.js';
import { command as costPricing } from './cost/pricing.js';
import { command as costProject } from './cost/project.js';
import { command as costProjects } from './cost/projects.js';
import { command as costReconcile } from './cost/reconcile.js';
import { command as costReport } from './cost/report.js';
import { command as costSummary } from './cost/summary.js';
import { command as costUpload } from './cost/upload.js';
import { command as createUpload } from './create/upload.js';
import { command as dashboard } from './dashboard.js';
import { command as datasetDiff } from './dataset/diff.js';
import { command as datasetList } from './dataset/list.js';
import { command as datasetPrune } from './dataset/prune.js';
import { command as datasetTag } from './dataset/tag.js';
import { command as datasetVersions } from './dataset/versions.js';
import { command as download } from './download.js';
import { command as dvcExport } from './dvc/export.js';
import { command as dvcStages } from './dvc/stages.js';
import { command as dvcStatus } from './dvc/status.js';
import { command as estimate } from './estimate.js';
import { command as find } from './find.js';
import { command as fleetagentConfigKeygen } from './fleetagent/config-keygen.js';
import { command as fleetagentRun } from './fleetagent/run.js';
import { command as fleetagentSignConfig } from './fleetagent/sign-config.js';
import { command as fleetagentValidateConfig } from './fleetagent/validate-config.js';
import { command as fleetMonitor } from './fleet/monitor.js';
import { command as fleetStatus } from './fleet/status.js';
import { command as fleetLockStatus } from './fleet/lock-status.js';
import { command as fleetLockExtend } from './fleet/lock-extend.js';
import { command as fleetagentIamPolicy } from './fleetagent/iam-policy.js';
import { command as fleetagentInit } from './fleetagent/init.js';
import { command as fleetagentScuttle } from './fleetagent/scuttle.js';
import { command as info } from './info.js';
import { command as lifecycle } from './lifecycle.js';
import { command as list } from './list.js';
import { command as migrate } from './migrate.js';
import { command as repair } from './repair.js';
import { command as restore } from './restore.js';
import { command as restoreJobsCheck } from './restore/jobs/check.js';
import { command as restoreJobsClean } from './restore/jobs/clean.js';
import { command as restoreJobsDownload } from './restore/jobs/download.js';
import { command as restoreJobsList } from './restore/jobs/list.js';
import { command as resume } from './resume.js';
import { command as resumeClean } from './resume/clean.js';
import { command as resumeList } from './resume/list.js';
import { command as scuttle } from './scuttle.js';
import { command as shell } from './shell.js';
import { command as verify } from './verify.js';
import { command as sync } from './sync.js';
import { command as upload } from './upload.js';

const COMMANDS: readonly Command[] = [
  upload,
  sync,
  resume,
  resumeList,
  resumeClean,
  createUpload,
  list,
  find,
  info,
  browse,
  dashboard,
  shell,
  verify,
  balance,
  download,
  restore,
  restoreJobsList,
  restoreJobsCheck,
  restoreJobsDownload,
  restoreJobsClean,
  migrate,
  repair,
  scuttle,
  accessCheck,
  datasetList,
  datasetVersions,
  datasetDiff,
  datasetTag,
  datasetPrune,
  dvcStages,
  dvcStatus,
  dvcExport,
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
  costReconcile,
  ...budgetCommands('cost budget'),
  ...budgetCommands('budget'),
  alertsConfig,
  alertsConfigure,
  alertsTest,
  alertsEnable,
  alertsDisable,
  fleetagentRun,
  fleetStatus,
  fleetMonitor,
  fleetLockStatus,
  lifecycle,
  fleetagentValidateConfig,
  fleetagentConfigKeygen,
  fleetagentSignConfig,
  fleetLockExtend,
  fleetagentInit,
  fleetagentScuttle,
  fleetagentIamPolicy,
  config,
  contextCommand,
  contextList,
  contextSwitch,
  contextShow,
  contextReset,
  completion,
];

/** One line for each group of commands that is not itself a command. */
const GROUPS: readonly Group[] = [
  { path: 'create', summary: 'make archives and keys' },
  { path: 'restore jobs', summary: 'restores that wait for cold storage' },
  { path: 'dataset', summary: 'list, compare, tag and prune the versions of folders' },
  { path: 'cost', summary: 'what storage, requests and retrieval cost' },
  { path: 'budget', summary: 'limits for what projects may cost and store' },
  { path: 'cost budget', summary: 'limits for what projects may cost and store' },
  { path: 'alerts', summary: 'where alerts about budgets and writers go' },
  { path: 'fleetagent', summary: 'writers that can neither read back nor delete' },
  { path: 'fleet', summary: 'watch the unattended writers of many machines' },
  { path: 'dvc', summary: 'stages and .dvc files of what DVC tracks' },
];

const SUMMARY = 'keep folders in an object store, and get them back';

/** The whole command tree. */
export const program = (): Node<Command> => buildTree(COMMANDS, GROUPS, SUMMARY);

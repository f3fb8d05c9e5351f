// Every command of the engine, in one list; features bring theirs (src/features.ts). Declarations are light: what a command needs
// is imported inside its `run`.
import type { Command } from '../cli/command.js';
import type { Group } from '../cli/declaration.js';
import { programOf, type Root } from '../cli/feature.js';
import { FEATURES } from '../features.js';
import { command as balance } from './balance.js';
import { command as browse } from './browse.js';
import { command as cat } from './cat.js';
import { command as commit } from './commit.js';
import { command as completion } from './completion.js';
import { command as config } from './config.js';
import { command as contextCommand } from './context.js';
import { command as contextList } from './context/list.js';
import { command as contextReset } from './context/reset.js';
import { command as contextShow } from './context/show.js';
import { command as contextSwitch } from './context/switch.js';
import { command as copy } from './copy.js';
import { command as createKeys } from './create/keys.js';
import { command as createUpload } from './create/upload.js';
import { command as datasetDiff } from './dataset/diff.js';
import { command as datasetList } from './dataset/list.js';
import { command as datasetPrune } from './dataset/prune.js';
import { command as datasetRestoreVersion } from './dataset/restore-version.js';
import { command as datasetTag } from './dataset/tag.js';
import { command as datasetVersions } from './dataset/versions.js';
import { command as download } from './download.js';
import { command as drill } from './drill.js';
import { command as find } from './find.js';
import { command as history } from './history.js';
import { command as info } from './info.js';
import { command as jsonSchema } from './json-schema.js';
import { command as list } from './list.js';
import { command as migrate } from './migrate.js';
import { command as plan } from './plan.js';
import { command as planStatus } from './plan/status.js';
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
import { command as work } from './work.js';

const COMMANDS: readonly Command[] = [
  upload,
  sync,
  resume,
  resumeList,
  resumeClean,
  createUpload,
  plan,
  planStatus,
  work,
  commit,
  createKeys,
  list,
  find,
  history,
  info,
  browse,
  shell,
  cat,
  verify,
  drill,
  balance,
  download,
  restore,
  restoreJobsList,
  restoreJobsCheck,
  restoreJobsDownload,
  restoreJobsClean,
  migrate,
  copy,
  repair,
  scuttle,
  datasetList,
  datasetVersions,
  datasetDiff,
  datasetTag,
  datasetPrune,
  datasetRestoreVersion,
  config,
  contextCommand,
  contextList,
  contextSwitch,
  contextShow,
  contextReset,
  completion,
  jsonSchema,
];

/** A help line for each group of commands that is not itself a command. */
const GROUPS: readonly Group[] = [
  { path: 'create', summary: 'make archives and keys' },
  { path: 'restore jobs', summary: 'restores that wait for cold storage' },
  { path: 'dataset', summary: 'list, compare, tag and prune the versions of folders' },
];

const BASE = { summary: 'keep folders in an object store, and get them back', commands: COMMANDS, groups: GROUPS };

/** Builds the whole command tree, including the commands of features. */
export const program = (features = FEATURES): Root => programOf(BASE, features);
